// What stayed uncertain and why, findings, and where the topology comes from.

const sureEnough = 0.99;

/** Questions that a run could not answer; what a device simply lacks is not among them. */
function openQuestions(device) {
  return Object.entries(device.outcomes)
    .filter(([key, { status, category }]) => !device.facts.has(key) && status !== 'measured' && !(status === 'skipped' && category === 'device'));
}

function absences(device) {
  return Object.entries(device.outcomes).filter(([key, { status, category }]) => !device.facts.has(key) && status === 'skipped' && category === 'device');
}

/** Outcomes of one reason on one row. */
function outcomeTable(caption, outcomes) {
  const byReason = new Map();
  for (const [key, { status, reason }] of outcomes) {
    const id = `${status}|${reason ?? ''}`;
    byReason.set(id, { status, reason: reason ?? '', keys: [...(byReason.get(id)?.keys ?? []), key] });
  }
  return htmlTable(caption, ['Facts', 'Status', 'Reason'], [...byReason.values()].map(({ status, reason, keys }) => [keys.join(', '), status, reason]));
}

function doubtTable(device) {
  const doubtful = [...device.facts.values()].filter(({ confidence }) => confidence < sureEnough).sort((a, b) => a.confidence - b.confidence);
  if (doubtful.length === 0) return null;
  return htmlTable('Facts below 99 %', ['Fact', 'Confidence', 'Value', 'Interval', 'Method'], doubtful.map((fact) =>
    [html('a', { href: `#${fact.key}` }, fact.key), formatConfidence(fact.confidence), formatFact(fact), fact.interval ? formatRange(...fact.interval, fact.unit) : '', fact.method]));
}

function findingTable(caption, findings) {
  return findings.length === 0 ? null : htmlTable(caption, ['Finding'], findings.map(({ message }) => [message]));
}

/** Everything that is not certain about a device. */
function uncertainParts(device) {
  const open = openQuestions(device), absent = absences(device);
  return [
    findingTable('Facts that disagree', device.findings.filter(({ key }) => key)),
    findingTable('What disturbed the device', device.findings.filter(({ key }) => !key)),
    open.length > 0 ? outcomeTable('Open questions', open) : html('p', {}, 'No question stayed open.'),
    doubtTable(device),
    absent.length > 0 ? html('details', {}, html('summary', {}, `What this device does not have (${absent.length})`), outcomeTable('Absent on this device', absent)) : null,
  ].filter(Boolean);
}

/** Tables of the provenance: tool, device, options, plugins. */
function provenanceParts(device) {
  const { plugins = [], options = {}, tool = {}, device: source = {}, ...rest } = device.provenance;
  const rows = [
    ['File', device.file], ['Tool', [tool.name, tool.version, tool.revision].filter(Boolean).join(' ')], ['Measured on', source.name ?? ''],
    ...Object.entries(source.parameters ?? {}).map(([name, value]) => [`Device parameter ${name}`, formatValue(value)]),
    ...Object.entries(rest).map(([name, value]) => [name.replaceAll('_', ' '), formatValue(value)]),
    ...Object.entries(options).filter(([, value]) => formatValue(value) && formatValue(value) !== 'none').map(([name, value]) => [`Option ${name}`, formatValue(value)]),
  ];
  const runs = Object.entries(device.probes).map(([id, { status, seconds, experiments }]) => [id, status, `${significant(seconds * 1000, 3)} ms`, String(experiments)]);
  return [
    htmlTable('Run', ['What', 'Value'], rows),
    plugins.length === 0 ? null : html('details', {}, html('summary', {}, `${plugins.length} plugins`), htmlTable('Plugins', ['Plugin', 'Version', 'SHA-256'], plugins.map(({ id, version, sha256 }) => [id, version, html('code', {}, sha256)]))),
    runs.length === 0 ? null : html('details', {}, html('summary', {}, `${runs.length} probes`), htmlTable('Probes', ['Probe', 'Status', 'Time', 'Experiments'], runs)),
  ].filter(Boolean);
}
