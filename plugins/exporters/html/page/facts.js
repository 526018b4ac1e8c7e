// The list of all facts: search, one row for each key, details with the curve on demand.

/** The keys of all devices by part, parts in the order of knownParts. */
function keysByPart(devices) {
  const parts = new Map(Object.keys(knownParts).map((part) => [part, []]));
  const keys = new Set(devices.flatMap(({ facts }) => [...facts.keys()]));
  for (const key of [...keys].sort()) {
    const part = partOf(key);
    if (!parts.has(part)) parts.set(part, []);
    parts.get(part).push(key);
  }
  return [...parts].filter(([, list]) => list.length > 0);
}

function definition(term, text) {
  return text ? [html('dt', {}, term), html('dd', {}, text)] : [];
}

/** A list or table value in full: pairs and rows as a table, a list as text. */
function fullValue(fact) {
  const { value, unit } = fact;
  if (!Array.isArray(value) || value.length === 0) return formatFact(fact);
  if (!value.every(Array.isArray)) return value.map((element) => formatValue(element, unit)).join(', ');
  if (fact.key.endsWith('.sm_groups') && isGroups(value)) return value.map((group) => `{${group.join(', ')}}`).join(' ');
  if (isTriples(value, unit)) return value.map((row) => formatTriple(row, unit)).join('; ');
  return value.map((row) => row.map((element, index) => formatValue(element, index > 0 ? unit : '')).join(' → ')).join('; ');
}

function factDetails(fact) {
  const conditions = Object.entries(fact.conditions ?? {}).filter(([name]) => name !== 'intervals');
  const intervals = isGroups(fact.conditions?.intervals) ? fact.conditions.intervals : [];
  return html('dl', {},
    definition('Meaning', fact.description),
    definition('Value', fullValue(fact)),
    definition('Interval', fact.interval && formatRange(...fact.interval, fact.unit)),
    definition('Intervals', intervals.map(([low, high]) => formatRange(low, high, fact.unit)).join('; ')),
    definition('Confidence', `${formatConfidence(fact.confidence)}${fact.source === 'api' ? ', as the driver reports it' : ''}`),
    definition('How', `${fact.source} by ${fact.probe}, method ${fact.method || 'not named'}, ${fact.samples ? `${counted(fact.samples, 'sample')}, ` : ''}for one ${fact.scope === 'sm' ? 'SM' : fact.scope}`),
    definition('Conditions', conditions.map(([name, value]) => `${name.replaceAll('_', ' ')}: ${formatValue(value)}`).join('; ')));
}

function factFigures(device, fact) {
  if (!fact.evidence) return html('p', { class: 'muted' }, fact.source === 'api' ? 'Reported by the driver, without a curve.' : 'Published without a curve.');
  const figures = figuresOf(device, fact);
  if (figures.length > 0) return html('div', { class: 'figures' }, figures);
  return html('p', { class: 'muted' }, 'Its curve is not in this page: the evidence file was not beside the topology.');
}

/** What a row shows when it is opened: for each device the details; the curves follow when it opens. */
function factBody(devices, key) {
  return html('div', { class: 'columns' }, devices.map((device) => {
    const fact = device.facts.get(key);
    const outcome = device.outcomes[key];
    return html('div', { class: 'fact-of-device' },
      devices.length > 1 ? html('h4', {}, device.label) : null,
      fact ? factDetails(fact) : html('p', {}, outcome?.reason ? `${outcome.status}: ${outcome.reason}` : 'Not asked.'),
      fact ? html('div', { class: 'curve' }) : null);
  }));
}

function openCurves(details, devices, key) {
  const holders = details.querySelectorAll('.curve');
  devices.filter((device) => device.facts.has(key)).forEach((device, index) => {
    holders[index].replaceChildren(factFigures(device, device.facts.get(key)));
  });
}

function summaryCell(fact, first) {
  if (!fact) return html('span', { class: 'value muted' }, 'no answer');
  const interval = fact.interval && fact.interval[0] < fact.interval[1] ? formatRange(...fact.interval, fact.unit) : '';
  return html('span', { class: 'value' }, html('b', {}, formatFact(fact)), ' ', html('small', {}, [interval, ratioText(fact, first)].filter(Boolean).join(' · ')));
}

function factRow(devices, key, part) {
  const facts = devices.map((device) => device.facts.get(key));
  const verdict = comparisonOf(devices, key);
  const confidences = facts.filter(Boolean).map(({ confidence }) => confidence);
  const details = html('details', { class: `fact ${verdict}`, id: key },
    html('summary', {},
      html('span', { class: 'key' }, key === part ? key : html('span', { class: 'muted' }, `${part}.`), key === part ? '' : key.slice(part.length + 1)),
      facts.map((fact) => summaryCell(fact, facts[0])),
      html('span', { class: 'confidence' }, verdict ? comparisonWords[verdict] : formatConfidence(Math.min(...confidences)))),
    factBody(devices, key));
  details.addEventListener('toggle', () => {
    if (details.open && !document.documentElement.dataset.printing) openCurves(details, devices, key);
    if (!details.open) closeCharts(details);
  });
  const words = facts.filter(Boolean).map((fact) => [fact.description, fact.method, fact.probe].join(' '));
  details.searchText = [key, titleOf(part), verdict, ...words].join(' ').toLowerCase();
  return details;
}

/** Shows the rows whose text has all words of the search, and how many. */
function makeSearchable(input, section, count) {
  const rows = [...section.querySelectorAll('.fact')];
  const update = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of rows) {
      row.hidden = !words.every((word) => row.searchText.includes(word));
      shown += row.hidden ? 0 : 1;
    }
    for (const part of section.querySelectorAll('.part')) part.hidden = !part.querySelector('.fact:not([hidden])');
    count.textContent = words.length > 0 ? `${shown} of ${rows.length} facts` : `${rows.length} facts`;
  };
  input.addEventListener('input', update);
  update();
}

/** All facts by part, with their search. */
function factList(devices) {
  const input = html('input', { type: 'search', id: 'search', placeholder: 'latency, l2, replacement…', autocomplete: 'off' });
  const count = html('output', { for: 'search' });
  const parts = keysByPart(devices).map(([part, keys]) => html('section', { class: 'part' },
    html('h3', {}, titleOf(part)), keys.map((key) => factRow(devices, key, part))));
  const list = html('div', { class: devices.length > 1 ? 'facts several' : 'facts', style: `--devices:${devices.length}` },
    html('div', { class: 'controls search' }, html('label', { for: 'search' }, 'Search '), input, count),
    devices.length > 1 ? html('p', { class: 'muted' }, 'Columns: ', devices.map(({ label }) => label).join(', '),
      '. Each fact is compared to the first column’s as by tomograph diff. Search for “different”, “undecided” or “missing” to see only those.') : null,
    parts);
  makeSearchable(input, list, count);
  return list;
}
