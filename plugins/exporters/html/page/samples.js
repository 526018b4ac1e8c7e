// Curves that are samples: histograms, and densities by a setting. Every sample is counted, none is left out.

function quantile(sorted, share) {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
}

/** A round number of at least `step`: 1, 2 or 5 times a power of ten. */
function roundStep(step) {
  const power = 10 ** Math.floor(Math.log10(step));
  return [1, 2, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= step * 0.999);
}

/** Bins without the outermost samples of all columns, a share of `cut`, which the first and last bin count as well. */
function binsOf(lists, most, cut) {
  const sorted = lists.map((list) => [...list].sort((a, b) => a - b));
  const low = Math.min(...sorted.map((list) => quantile(list, cut)));
  const high = Math.max(...sorted.map((list) => quantile(list, 1 - cut)));
  const step = roundStep(Math.max((high - low) / most, 1));
  const first = Math.floor(low / step) * step;
  const count = Math.max(3, Math.floor((high - first) / step) + 1);
  const outside = lists.flat().filter((value) => value < first || value >= first + count * step).length;
  return { first, step, count, outside };
}

function countInBins(values, { first, step, count }) {
  const counts = new Array(count).fill(0);
  for (const value of values) counts[Math.min(count - 1, Math.max(0, Math.floor((value - first) / step)))] += 1;
  return counts;
}

/** The ends of an axis that shows all bins and the mark. */
function extent({ first, step, count }, mark) {
  const ends = [first, first + count * step, ...(mark ? [mark.value, mark.low ?? mark.value, mark.high ?? mark.value] : [])];
  return { min: Math.floor(Math.min(...ends) / step) * step, max: Math.ceil(Math.max(...ends) / step) * step };
}

function outsideSentence({ outside }) {
  return outside > 0 ? ` ${outside} samples beyond the axis are counted in its first or last bin.` : '';
}

/** The shares of samples of one or several columns by their value. samples: [{name, label, unit, values}]. */
function histogramPanel(samples, context, cut = 0.002) {
  const { fact, device } = context;
  const unit = samples[0].unit;
  const bins = binsOf(samples.map(({ values }) => values), 200, cut);
  const shares = samples.map(({ values }) => countInBins(values, bins).map((count) => count / values.length));
  const middle = (bin) => bins.first + (bin + 0.5) * bins.step;
  const mark = markOn(fact, unit, samples[0].name) ?? penaltyOn(fact, device, unit, samples[0].name);
  const option = () => ({
    ...legend(samples.map(({ label }) => label)),
    tooltip: { ...themeOption().tooltip, trigger: 'axis', axisPointer: { type: 'line' }, valueFormatter: (value) => formatTick(value, 'share') },
    xAxis: axis('value', axisName('latency', unit), unit, { ...extent(bins, mark), axisPointer: { label: { show: false } } }),
    yAxis: axis('value', 'share of samples', 'share', { nameGap: 46 }),
    series: shares.map((list, index) => ({
      type: 'line', step: 'middle', name: samples[index].label, symbol: 'none', areaStyle: { opacity: 0.25 }, lineStyle: { width: 1.2 },
      data: list.map((share, bin) => [middle(bin), share]), ...(index === 0 ? markOption(mark, 'xAxis') : {}),
    })),
  });
  const many = samples.map(({ label, values }) => `${label} (${values.length})`).join(', ');
  return { option, mark: markSentence(mark, 'xAxis'), text: `Distribution of ${many}.${outsideSentence(bins)}`,
    numbers: () => ({ head: [`from (${unit})`, ...samples.map(({ label }) => label)],
      rows: Array.from({ length: bins.count }, (_, bin) => [significant(bins.first + bin * bins.step, 5), ...shares.map((list) => formatTick(list[bin], 'share'))]) }) };
}

/** How samples are distributed at each value of a setting. */
function densityPanel(table, measured, xName, context) {
  const { fact } = context;
  const x = distinct(table.columns[xName]);
  const bins = binsOf([measured.values], 40, 0.002);
  const cells = x.flatMap((setting, column) => {
    const values = measured.values.filter((_, row) => table.columns[xName][row] === setting);
    return countInBins(values, bins).map((count, bin) => [column, bin, count / values.length]).filter(([, , share]) => share > 0);
  });
  const labels = Array.from({ length: bins.count }, (_, bin) => significant(bins.first + bin * bins.step, 5));
  const mark = markOn(fact, measured.unit, measured.name);
  const onAxis = mark && { ...mark, value: Math.floor((mark.value - bins.first) / bins.step), low: null, high: null };
  const make = heatOption({
    columns: x.map((value) => columnText(xName, value, fact)), rows: labels, columnName: columnLabel(xName),
    rowName: axisName(measured.label, measured.unit), cells, unit: 'share', name: measured.label, low: 0,
    high: Math.max(...cells.map(([, , share]) => share)),
    text: ([column, bin, share]) => `${columnLabel(xName)} ${columnText(xName, x[column], fact)}<br>from ${labels[bin]}: <b>${formatTick(share, 'share')}</b>`,
  });
  const option = () => {
    const made = make();
    Object.assign(made.series[0], markOption(onAxis, 'yAxis'));
    return made;
  };
  return { option, height: 380, mark: markSentence(onAxis, 'yAxis'),
    text: `Distribution of ${measured.label} by ${columnLabel(xName)}, ${table.rows} samples.${outsideSentence(bins)}`, numbers: () => tableNumbers(table, fact) };
}
