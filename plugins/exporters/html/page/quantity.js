// Numbers as people read them, in the form of `tomograph show`.

function significant(value, digits) {
  return Number(value.toPrecision(digits)).toString();
}

function scaled(value, step, units, digits) {
  let scale = 0;
  while (Math.abs(value) >= step && scale + 1 < units.length) {
    value /= step;
    scale += 1;
  }
  return `${significant(value, Math.abs(value) >= 1000 ? Math.max(5, digits) : digits)} ${units[scale]}`;
}

/** Of latencies, in the largest unit that they reach. */
function seconds(value, digits) {
  const [size, name] = [[1, 's'], [1e-3, 'ms'], [1e-6, 'µs']].find(([least]) => Math.abs(value) >= least) ?? [1e-9, 'ns'];
  return `${significant(value / size, digits)} ${name}`;
}

/** "1 SM", "132 SMs". */
const counted = (count, what) => `${count} ${what}${String(count) === '1' ? '' : 's'}`;

/** A number with its unit, in the scale that needs fewest digits: (61469952, "B") is "58.62 MiB". */
function formatNumber(value, unit, digits = 4) {
  if (unit === 'B') return scaled(value, 1024, ['B', 'KiB', 'MiB', 'GiB', 'TiB'], digits);
  if (unit === 'B/s') return scaled(value, 1000, ['B/s', 'KB/s', 'MB/s', 'GB/s', 'TB/s'], digits);
  if (unit === 'Hz') return scaled(value, 1000, ['Hz', 'kHz', 'MHz', 'GHz', 'THz'], digits);
  if (unit === 's') return seconds(value, digits);
  const text = Number.isInteger(value) && Math.abs(value) < 1e9 ? String(value) : significant(value, digits);
  if (!unit || unit === '1') return text;
  if (unit === 'cycle') return counted(text, 'cycle');
  return `${text} ${unit}`;
}

const isPair = (value) => Array.isArray(value) && value.length === 2;
const isNumber = (value) => typeof value === 'number';

/** Whether a value is a list of lists of numbers, as groups of SMs are. */
const isGroups = (value) => Array.isArray(value) && value.length > 0 && value.every((group) => Array.isArray(group) && group.every(isNumber));

/** Whether rows are [from, to, quantity], as those with a unit and three columns are. */
const isTriples = (value, unit) => Array.isArray(value) && value.length > 0 && Boolean(unit) && value.every((row) => Array.isArray(row) && row.length === 3);
const formatTriple = ([from, to, value], unit) => `${formatValue(from)} → ${formatValue(to)}: ${formatValue(value, unit)}`;

/** "low to high" with enough digits to tell them apart, the unit once where both have the same. */
function formatRange(low, high, unit) {
  let texts = [];
  for (let digits = 4; digits < 10 && texts[0] === texts[1]; digits += 1) texts = [low, high].map((end) => formatNumber(end, unit, digits));
  const units = texts.map((text) => text.slice(text.indexOf(' ')));
  if (texts[0].includes(' ') && units[0] === units[1]) texts[0] = texts[0].slice(0, texts[0].indexOf(' '));
  return `${texts[0]} to ${texts[1]}`;
}

function formatList(list, unit) {
  if (list.length === 0) return 'none';
  if (list.every(isNumber) && list.length > 8) {
    const low = Math.min(...list), high = Math.max(...list);
    if (low === high) return `${list.length} × ${formatNumber(low, unit)}`;
    return `${formatRange(low, high, unit)} (${list.length} values)`;
  }
  if (list.length > 8 && list.every(Array.isArray)) return `${list.length} rows`;
  if (list.every(isPair)) return list.map(([from, to]) => `${formatValue(from, '')} → ${formatValue(to, unit)}`).join(', ');
  if (isTriples(list, unit)) return list.map((row) => formatTriple(row, unit)).join(', ');
  if (list.every((row) => Array.isArray(row) && row.length > 2)) return `${list.length} ${list.length === 1 ? 'row' : 'rows'}`;
  return list.map((element) => formatValue(element, unit)).join(', ');
}

/** Any value of a fact on one line. Long lists become their range or their length. */
function formatValue(value, unit = '') {
  if (isNumber(value)) return formatNumber(value, unit);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return formatList(value, unit);
  if (value === null || typeof value !== 'object') return String(value);
  return Object.entries(value).map(([name, member]) => `${name} ${formatValue(member, unit)}`).join(', ');
}

/** The value of a fact; groups of SMs become the number of groups and their sizes. */
function formatFact(fact) {
  if (!fact) return '';
  if (!fact.key.endsWith('.sm_groups') || !isGroups(fact.value)) return formatValue(fact.value, fact.unit);
  const sizes = fact.value.map((group) => group.length);
  const least = Math.min(...sizes), most = Math.max(...sizes);
  return `${sizes.length} groups of ${least === most ? least : `${least} to ${most}`}`;
}

/** Enough nines: 0.99 is "99 %", 0.9999 is "99.99 %". */
function formatConfidence(confidence) {
  if (confidence === 1) return '100 %';
  const nines = Math.min(4, Math.max(0, Math.ceil(-Math.log10(1 - confidence)) - 2));
  return `${Math.floor(confidence * 100 * 10 ** nines + 1e-6) / 10 ** nines} %`;
}
