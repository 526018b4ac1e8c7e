// The report over a fleet: who is odd and why, and how each fact spreads over the GPUs of a kind.

/** The cohorts of a fleet, each with its odd GPUs first. */
function readFleet({ provenance: { fleet } }) {
  const cohorts = Object.entries(fleet.cohorts ?? {}).map(([name, { gpus, facts = {}, differences = {} }], index) => {
    const odd = fleet.odd.filter(({ device }) => device === name);
    const names = new Set(odd.map(({ gpu }) => gpu));
    return { id: `cohort-${index}`, name, odd, gpus: [...names, ...gpus.filter((gpu) => !names.has(gpu))], differences,
      facts: Object.entries(facts).map(([key, fact]) => spreadOf(key, fact, gpus, odd)).sort(byOddity) };
  });
  return { ...fleet, cohorts };
}

/** A fact with a point for each GPU that has it. */
function spreadOf(key, fact, gpus, odd) {
  const without = new Set(fact.without);
  const points = gpus.filter((gpu) => !without.has(gpu)).map((gpu, index) => ({ gpu, z: fact.z[index], value: fact.median + fact.z[index] * fact.spread,
    isOdd: odd.some((each) => each.gpu === gpu && each.facts.some((other) => other.key === key)) }));
  return { key, ...fact, points, oddCount: points.filter(({ isOdd }) => isOdd).length, farthest: Math.max(0, ...points.map(({ z }) => Math.abs(z))) };
}

const byOddity = (a, b) => b.oddCount - a.oddCount || b.farthest - a.farthest;

/** One point for each GPU along the values of a fact. Height only keeps points apart. */
function stripFigure({ key, unit, median, spread, points }) {
  const goldenRatio = 0.618034;
  const series = (name, isOdd, colour, size) => ({
    type: 'scatter', name, color: colour, symbolSize: size, z: isOdd ? 3 : 2,
    data: points.flatMap((point, index) => (point.isOdd === isOdd ? [{ name: point.gpu, value: [point.value, 0.15 + 0.7 * ((index * goldenRatio) % 1)], z: point.z }] : [])),
  });
  const option = () => ({
    grid: { ...themeOption().grid, top: 16 },
    tooltip: { ...themeOption().tooltip, formatter: ({ data }) => echartsText(`${data.name}: ${formatNumber(data.value[0], unit)}, ${significant(data.z, 3)} spreads from the median`) },
    xAxis: axis('value', axisName(key, unit), unit, { scale: true }), yAxis: { type: 'value', show: false, min: 0, max: 1 },
    series: [series('others', false, themeColour('accent'), 7), series('odd', true, themeColour('mark'), 11)],
  });
  const odd = points.filter(({ isOdd }) => isOdd).length;
  return plotFigure({ title: key, option, height: 150,
    caption: `${points.length} GPUs, median ${formatNumber(median, unit)}, spread ${formatNumber(spread, unit)}; ${odd === 0 ? 'none' : odd} odd.`,
    numbers: () => ({ head: ['GPU', 'value', 'spreads from the median'],
      rows: [...points].sort((a, b) => Math.abs(b.z) - Math.abs(a.z)).map(({ gpu, value, z }) => [gpu, formatNumber(value, unit), significant(z, 3)]) }) });
}

/** Text for a tooltip, which ECharts takes as HTML. */
const echartsText = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** A row for each GPU, the odd ones first: why it is odd, and its fact that is farthest from the median. */
function gpuTable({ name, gpus, odd, facts }) {
  const reasons = new Map(odd.map(({ gpu, reason }) => [gpu, reason]));
  const farthest = new Map();
  for (const { key, points } of facts) {
    for (const { gpu, z } of points) if (Math.abs(z) > Math.abs(farthest.get(gpu)?.z ?? 0)) farthest.set(gpu, { key, z });
  }
  const rows = gpus.slice(0, shownRows).map((gpu) => {
    const far = farthest.get(gpu);
    return [gpu, reasons.get(gpu) ?? '', far ? `${far.key}, ${significant(far.z, 3)} spreads` : ''];
  });
  const caption = gpus.length > shownRows ? `The first ${shownRows} of ${gpus.length} GPUs, the odd ones first` : `${gpus.length} × ${name}, the odd ones first`;
  return htmlTable(caption, ['GPU', 'why it is odd', 'farthest fact'], rows);
}

/** Discrete facts in which GPUs of one kind differ. */
function differenceTable({ differences }) {
  const rows = Object.entries(differences).flatMap(([key, { usual, count, others }]) =>
    others.map(({ value, gpus }) => [key, `${usual} (${count} GPUs)`, value, gpus.slice(0, 8).join(', ') + (gpus.length > 8 ? ` and ${gpus.length - 8} more` : '')]));
  return rows.length === 0 ? null : htmlTable('Discrete facts in which some differ', ['fact', 'usual', 'other', 'GPUs'], rows.slice(0, shownRows));
}

function cohortSection(cohort) {
  const lead = `${cohort.gpus.length} GPUs, ${cohort.odd.length === 0 ? 'none' : cohort.odd.length} odd. A point is a GPU; facts with odd GPUs come first.`;
  return section(cohort.id, cohort.name, lead, gpuTable(cohort), differenceTable(cohort), html('h3', {}, 'Facts'),
    html('div', { class: 'pairs' }, cohort.facts.map(stripFigure)));
}

/** The whole page of a fleet. */
function showFleet(fleet, header, nav, main) {
  document.title = `${fleet.gpus} GPUs – Tomograph`;
  header.append(html('h1', {}, `${fleet.gpus} GPUs, ${fleet.odd.length === 0 ? 'none' : fleet.odd.length} odd`),
    html('p', { class: 'subtitle' }, `${fleet.cohorts.map(({ name, gpus }) => `${gpus.length} × ${name}`).join(' · ')} · a sound fleet has an odd GPU with a probability of ${significant(100 * fleet.false_alarm_rate, 3)} % · ${fleet.tests} facts`));
  const refused = fleet.refused.map(({ name, reason }) => [name, reason]);
  main.append(...fleet.cohorts.map(cohortSection));
  if (refused.length > 0) main.append(section('refused', 'Files that do not count', null, htmlTable('Files', ['file', 'reason'], refused.slice(0, shownRows))));
  nav.append(...[...main.querySelectorAll(':scope > section')].map(({ id, firstElementChild }) => html('a', { href: `#${id}` }, firstElementChild.textContent)));
}
