// Where on a curve a fact's value was read off.

// Differences of two latencies are no place on an axis of latencies.
const differences = /(miss_penalty|per_kib)$/;
const differenceColumns = /extra|less/;

// Which facts are a place among the bytes or the counts of which columns, where the names do not say so themselves.
const places = [[/^footprint/, /\bsize$/], [/^distance/, /(line_size|fetch_granularity|sector_size)$/], [/^largest/, /size_per_block$/], [/^miss_to_miss/, /page_size$/]];

function isPlace(key, column) {
  const [word] = column.split('_');
  return key.split(/[._]/).includes(word) || places.some(([columns, keys]) => columns.test(column) && keys.test(key));
}

function fitsAxis(fact, unit, column) {
  if (!isNumber(fact.value) || fact.source !== 'measured' || unit !== fact.unit) return false;
  if (unit === '1' || unit === 'B') return isPlace(fact.key, column);
  return differences.test(fact.key) === (unit === 'cycle' && differenceColumns.test(column));
}

/** The mark of a fact on an axis, {value, low, high, text}, or null if the value is no place on it. */
function markOn(fact, unit, column) {
  if (!fact || !fitsAxis(fact, unit, column)) return null;
  const [low, high] = fact.interval ?? [null, null];
  return { value: fact.value, low, high, text: formatFact(fact) };
}

/** A mark if its value lies among `values` or close to them. */
function markWithin(mark, values) {
  const known = values.filter(isNumber);
  const low = Math.min(...known), high = Math.max(...known), margin = 0.1 * Math.max(high - low, Math.abs(high));
  return mark && mark.value >= low - margin && mark.value <= high + margin ? mark : null;
}

/** A miss penalty on an axis of latencies: from the latency of a hit to that of a miss. */
function penaltyOn(fact, device, unit, column) {
  if (!fact || unit !== 'cycle' || differenceColumns.test(column) || !fact.key.endsWith('.miss_penalty')) return null;
  const hit = numberOf(device, fact.key.replace('miss_penalty', 'latency'));
  if (hit === null) return null;
  return { value: hit + fact.value, low: hit, high: hit + fact.value, text: `a miss adds ${formatFact(fact)}` };
}

/** What ECharts draws for a mark, on the axis "xAxis" or "yAxis": a line at the value, a band for the interval. */
function markOption(mark, side) {
  if (!mark) return {};
  const colour = themeColour('mark');
  const option = {
    markLine: {
      silent: true, symbol: 'none', lineStyle: { color: colour, width: 2, type: 'solid' },
      label: { formatter: mark.text, color: colour, position: side === 'xAxis' ? 'end' : 'insideEndTop', fontWeight: 600 },
      data: [{ [side]: mark.value }],
    },
  };
  if (mark.low === null || mark.low === mark.high) return option;
  option.markArea = { silent: true, itemStyle: { color: colour, opacity: 0.14 },
    data: [[{ [side]: mark.low }, { [side]: mark.high }]] };
  return option;
}

/** The sentence that tells readers of the caption about the mark. */
function markSentence(mark, side) {
  if (!mark) return '';
  const band = mark.low === null ? '' : ', the band its interval';
  return ` The ${side === 'xAxis' ? 'vertical' : 'horizontal'} line is the value, ${mark.text}${band}.`;
}
