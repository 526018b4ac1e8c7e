// Columns of evidence: what their names say, and which of them belong together.

const measuredNames = /cycles|per_cycle|bandwidth|bytes_per|usable|resident|largest|predicted|model|missing|partition_by|repetitions/;
const countNames = /^(hits|missed|evicted|found|evicted_apart)(_|$)|_(hits|missed|evicted|found)(_|$)/;
const totalNames = /^(tested|pairs)$|_tested$/;
const boundNames = /^(low|high)_/;

/** Whether a column was measured; all others say what was set. */
function isMeasured(name) {
  return measuredNames.test(name) || countNames.test(name) || boundNames.test(name) || name === 'set' || name === 'ways';
}

/** The unit of a column, as its name tells; `bandwidth` has that of the fact. */
function unitOfColumn(name, fact) {
  if (/bytes_per_second/.test(name)) return 'B/s';
  if (/bytes_per_cycle/.test(name)) return 'B/cycle';
  if (/bandwidth|repetitions/.test(name)) return fact?.unit === 'B/cycle' ? 'B/cycle' : 'B/s';
  if (/cycles|latency|^model$/.test(name)) return 'cycle';
  if (/(_B|_bytes|bytes|footprint|bytes_in_flight|largest_bytes_per_cta)$/.test(name)) return 'B';
  return '1';
}

// What the codes of a column stand for. The probes' READMEs list them.
const codeNames = {
  distribution: ['interleaved tiles', 'a slice for each SM', 'a queue'],
  operation: ['load', 'store', 'atomic'],
  partner: ['own', 'idle CTA', 'next CTA', 'all in turn', 'all use the first'],
  space: ['cluster', 'global memory'],
  method: ['bulk', 'tensor', 'cp.async', 'plain loads'],
  direction: ['load', 'store'],
  place: ['own words', 'own lines', 'one line'],
  returns: ['no result', 'result'],
  alone: ['all SMs', 'one SM'],
  multicast: ['every CTA for itself', 'multicast'],
};

/** A value of a column in words: a code by its name, bytes in their scale. */
function columnText(name, value, fact) {
  const code = codeNames[name]?.[value];
  if (code) return code;
  const unit = unitOfColumn(name, fact);
  return formatNumber(value, unit);
}

/** The name of a column in words. */
function columnLabel(name) {
  const words = name.replace(/^(read|write|copy|p\d+)[._]/, '').replace(/_(B|bytes|cycles)$/, '').replaceAll('_', ' ');
  return words === 'ctas per sm' ? 'CTAs per SM' : words.replace(/\bsms?\b/g, (word) => word.toUpperCase().replace('SMS', 'SMs'))
    .replace(/\bilp\b/, 'ILP').replace(/\bctas?\b/, (word) => word.replace('cta', 'CTA'));
}

const familyOf = (name) => /^(.+)\./.exec(name)?.[1] ?? /^(p\d+)_/.exec(name)?.[1] ?? '';

/** A curve's columns as tables: those of one prefix ("read.", "p1_") and one length belong together. */
function tablesOf(columns) {
  const tables = new Map();
  for (const [name, values] of Object.entries(columns)) {
    if (values.length === 0) continue;
    const family = familyOf(name);
    const id = `${family}|${values.length}`;
    if (!tables.has(id)) tables.set(id, { family, rows: values.length, columns: {} });
    tables.get(id).columns[family ? name.slice(family.length + 1) : name] = values;
  }
  return [...tables.values()];
}

const distinct = (values) => [...new Set(values)].sort((a, b) => a - b);

/** Names of the columns that were set and vary, those with most values first, codes last. */
function variedSettings(table) {
  return Object.keys(table.columns)
    .filter((name) => !isMeasured(name) && !totalNames.test(name))
    .map((name) => ({ name, count: distinct(table.columns[name]).length }))
    .filter(({ count }) => count > 1)
    .sort((a, b) => (a.name in codeNames) - (b.name in codeNames) || b.count - a.count)
    .map(({ name }) => name);
}

/** The column of totals that a column of counts is a share of, or null: "idle_tested" for "idle_evicted". */
function totalOf(table, name) {
  if (!countNames.test(name)) return null;
  const totals = Object.keys(table.columns).filter((column) => totalNames.test(column));
  const prefixed = totals.find((column) => column.includes('_') && name.startsWith(column.slice(0, column.indexOf('_'))));
  return prefixed ?? totals.find((column) => !column.includes('_')) ?? null;
}

/** What is plotted against the settings: the measured columns, counts as shares of their totals. */
function measuredSeries(table, fact) {
  const names = Object.keys(table.columns).filter((name) => isMeasured(name) && !boundNames.test(name));
  return names.map((name) => {
    const total = totalOf(table, name);
    const values = table.columns[name];
    if (!total) return { name, label: columnLabel(name), unit: unitOfColumn(name, fact), values };
    const totals = table.columns[total];
    return { name, label: `${columnLabel(name)} / ${columnLabel(total)}`, unit: 'share',
      values: values.map((value, row) => (totals[row] > 0 ? value / totals[row] : null)) };
  });
}

/** Low and high bounds around the measured columns, or null. */
function boundsOf(table) {
  const names = Object.keys(table.columns);
  const low = names.find((name) => name.startsWith('low_'));
  const high = names.find((name) => name.startsWith('high_'));
  return low && high ? { low: table.columns[low], high: table.columns[high] } : null;
}
