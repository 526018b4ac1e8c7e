// Puts the page together: what is seen first at once, the curves once their evidence is unpacked.

function section(id, title, lead, ...children) {
  return html('section', { id, 'aria-labelledby': `${id}-title` },
    html('h2', { id: `${id}-title` }, title), lead ? html('p', { class: 'lead' }, lead) : null, children);
}

const sectionTitles = { chip: 'Chip', hierarchy: 'Hierarchy', occupancy: 'Occupancy', bandwidth: 'Bandwidth', spectrum: 'Latency spectrum', maps: 'Maps', facts: 'Facts', uncertain: 'Uncertain', provenance: 'Provenance' };

function subtitle(device) {
  const clock = factText(device, 'device.sm_clock'), memory = factText(device, 'dram.size'), capability = factText(device, 'device.compute_capability');
  const sms = factText(device, 'device.sm_count');
  return [sms && counted(sms, 'SM'), clock, memory && `${memory} of memory`, capability && `compute capability ${capability}`,
    device.provenance.device?.name && `measured on ${device.provenance.device.name}`].filter(Boolean).join(' · ');
}

function pageHeader(devices) {
  document.title = `${devices.map(({ label }) => label).join(' and ')} – Tomograph`;
  return devices.map((device) => [html('h1', {}, device.label), html('p', { class: 'subtitle' }, subtitle(device))]).flat();
}

/** The sections that need no evidence. */
function firstSections(devices, chips) {
  return [
    section('chip', sectionTitles.chip, null, html('div', { class: devices.length > 1 ? 'stack' : 'overview' }, html('div', { class: 'columns' }, chips), headlineList(devices))),
    section('hierarchy', sectionTitles.hierarchy, null, html('div', { class: 'columns' }, devices.map((device) => html('div', {}, devices.length > 1 ? html('h3', {}, device.label) : null, hierarchyFigure(device))))),
  ];
}

/** The sections with curves, and all that lies below them. */
function laterSections(devices) {
  return [
    section('occupancy', sectionTitles.occupancy, 'How many warps it takes to keep the pipelines busy.', beside(devices, rooflineFigure, curvesMissing(isOccupancy))),
    section('bandwidth', sectionTitles.bandwidth, 'What each configuration of warps and loads in flight reaches.', beside(devices, surfaceFigures, curvesMissing(isSearchedBandwidth))),
    section('spectrum', sectionTitles.spectrum, 'What a load costs, by what it hits and misses.', beside(devices, spectrumFigure, curvesMissing(isSpectrum))),
    section('maps', sectionTitles.maps, 'Facts that are tables.', beside(devices, mapFigures, () => noSuchFacts)),
    section('facts', sectionTitles.facts, 'Every fact with its interval, its confidence, how it is known, and its curve. Open a row to see them.', factList(devices)),
    section('uncertain', sectionTitles.uncertain, 'What the measurements do not decide, and why.', beside(devices, uncertainParts)),
    section('provenance', sectionTitles.provenance, null, beside(devices, provenanceParts)),
  ];
}

function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
}

function startTheme(button) {
  const label = () => { button.textContent = isDark() ? 'Light' : 'Dark'; };
  button.addEventListener('click', () => {
    document.documentElement.dataset.theme = isDark() ? 'light' : 'dark';
    label();
    redrawCharts();
  });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => { label(); redrawCharts(); });
  label();
}

/** Opens the fact that the address names. */
function openNamed() {
  const row = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!row?.matches('details.fact')) return;
  row.open = true;
  row.scrollIntoView({ block: 'start' });
}

/** On paper all texts are open, and all figures of the sections are drawn. */
function startPrinting() {
  const root = document.documentElement;
  let opened = [];
  addEventListener('beforeprint', () => {
    root.dataset.printing = 'yes';
    drawAll(document.querySelector('main'));
    opened = [...document.querySelectorAll('details:not([open]):not(.numbers)')];
    for (const details of opened) details.open = true;
  });
  addEventListener('afterprint', () => {
    for (const details of opened) details.open = false;
    opened = [];
    setTimeout(() => { delete root.dataset.printing; });
  });
}

/** What all pages answer to. */
function startListening() {
  startPrinting();
  addEventListener('resize', resizeCharts);
  document.documentElement.dataset.ready = 'yes';
}

function startFleet(topology) {
  showFleet(readFleet(topology), document.querySelector('#devices'), document.querySelector('nav'), document.querySelector('main'));
  document.querySelector('.skip').remove();
  startTheme(document.querySelector('#theme'));
  startListening();
}

async function start() {
  const report = JSON.parse(document.getElementById('data').textContent);
  const [{ topology }] = report.topologies;
  if (topology.provenance?.fleet) return startFleet(topology);
  const devices = readReport(report);
  const main = document.querySelector('main');
  document.querySelector('#devices').append(...pageHeader(devices));
  const chips = devices.map(chipFigure);
  main.append(...firstSections(devices, chips));
  document.querySelector('nav').append(...Object.entries(sectionTitles).map(([id, title]) => html('a', { href: `#${id}` }, title)));
  startTheme(document.querySelector('#theme'));
  document.documentElement.dataset.first = 'drawn';
  await readEvidence(devices);
  await new Promise((resolve) => { setTimeout(resolve); });  // lets the browser show the first sections
  main.append(...laterSections(devices));
  addPredictions(devices, main, document.querySelector('nav'));
  for (const chip of chips) chip.offer();
  addEventListener('hashchange', openNamed);
  openNamed();
  startListening();
}

start();
