// How a curve of evidence is drawn. The form follows from the columns, so that curves of unknown probes draw, too.

/** The numbers of a table of evidence as texts. */
function tableNumbers(table, fact) {
  const names = Object.keys(table.columns);
  const row = (index) => names.map((name) => columnText(name, table.columns[name][index], fact));
  return { head: names.map(columnLabel), rows: Array.from({ length: table.rows }, (_, index) => row(index)) };
}

const isLogarithmic = (values) => {
  const known = values.filter((value) => value !== null);
  return known.length > 2 && Math.min(...known) > 0 && Math.max(...known) / Math.min(...known) > 30;
};

function valueAxis(label, unit, values, more = {}) {
  const known = values.filter((value) => value !== null);
  const low = Math.min(...known), high = Math.max(...known);
  if (isLogarithmic(values) && !/sm$/i.test(label)) {
    const base = unit === 'B' || unit === '1' ? 2 : 10, power = (value, round) => base ** round(Math.log(value) / Math.log(base));
    const logBase = base === 2 ? 2 ** Math.ceil(Math.log2(high / low) / 8) : 10; // few enough ticks to be labelled
    return axis('log', axisName(label, unit), unit, { logBase, min: power(low, Math.floor), max: power(high, Math.ceil), ...more });
  }
  const interval = unit === 'B' && high > low ? { interval: 2 ** Math.ceil(Math.log2((high - low) / 6)) } : {};
  return axis('value', axisName(label, unit), unit, { scale: true, ...interval, ...more });
}

/** Bars from low to high behind the points of a curve. */
function boundsSeries(x, { low, high }) {
  return {
    type: 'custom', name: 'interval', silent: true, tooltip: { show: false }, z: 1,
    data: x.map((value, row) => [value, low[row], high[row]]),
    renderItem: (_, api) => {
      const [x0, y0] = api.coord([api.value(0), api.value(1)]);
      const [, y1] = api.coord([api.value(0), api.value(2)]);
      return { type: 'line', shape: { x1: x0, y1: y0, x2: x0, y2: y1 }, style: { stroke: themeColour('muted'), lineWidth: 1.5 } };
    },
  };
}

/** The settings that tell the curves of a plot apart: codes first, and no more curves than colours. */
function seriesSettings(table, settings) {
  const ordered = [...settings].sort((a, b) => (b in codeNames) - (a in codeNames));
  const chosen = [];
  let curves = 1;
  for (const name of ordered) {
    const count = distinct(table.columns[name]).length;
    if (curves * count > categoryColours.length) continue;
    chosen.push(name);
    curves *= count;
  }
  return chosen;
}

/** The rows of a table by the words for their settings. */
function rowsBySettings(table, names, fact) {
  const groups = new Map();
  for (let row = 0; row < table.rows; row += 1) {
    const words = names.map((name) => {
      const text = columnText(name, table.columns[name][row], fact);
      return name in codeNames ? text : `${columnLabel(name)} ${text}`;
    }).join(', ');
    if (!groups.has(words)) groups.set(words, []);
    groups.get(words).push(row);
  }
  return groups;
}

const hasRepeats = (values) => new Set(values).size < values.length;

/** What a tooltip says of a row: all its columns. */
function rowText(table, row, fact) {
  return Object.entries(table.columns).map(([name, values]) => `${columnLabel(name)}: <b>${columnText(name, values[row], fact)}</b>`).join('<br>');
}

function curveSeries(table, x, measured, rows, style, fact) {
  const { name, colour, isSecond, isPoints } = style;
  const points = rows.map((row) => [x[row], measured.values[row], row]).sort((a, b) => a[0] - b[0]);
  const isLine = !isPoints && !hasRepeats(points.map(([value]) => value));
  return {
    type: isLine ? 'line' : 'scatter', name, data: points, symbolSize: isLine && points.length > 80 ? 3 : 5, color: colour,
    z: isLine ? 3 : 4, // a line of another curve would cover points, and answer the pointer in their place
    symbol: 'circle', encode: { x: 0, y: 1 }, lineStyle: { width: 1.5, type: isSecond ? 'dashed' : 'solid' },
    tooltip: { formatter: ({ data }) => `${name}<br>${rowText(table, data[2], fact)}` },
  };
}

/** Measured columns of one unit against the setting with most values, one curve for each combination of the others. */
function curvePanel(table, series, settings, context) {
  const [xName, ...others] = settings;
  const { fact } = context;
  const x = table.columns[xName], xUnit = unitOfColumn(xName, fact);
  const groups = rowsBySettings(table, seriesSettings(table, others), fact);
  const all = series.flatMap((measured) => measured.values);
  const curves = () => series.flatMap((measured, number) => [...groups].map(([words, rows], index) => curveSeries(table, x, measured, rows, {
    name: [series.length > 1 || !words ? measured.label : '', words].filter(Boolean).join(', '), isPoints: context.isPoints,
    colour: categoryColours[(groups.size > 1 ? index : number) % categoryColours.length], isSecond: groups.size > 1 && number > 0,
  }, fact)));
  const xMark = markWithin(markOn(fact, xUnit, xName), x), yMark = xMark ? null : markWithin(markOn(fact, series[0].unit, series[0].name), all);
  const option = () => {
    const drawn = curves();
    Object.assign(drawn[0], markOption(xMark, 'xAxis'), xMark ? {} : markOption(yMark, 'yAxis'));
    const bounds = boundsOf(table);
    const side = Math.max(...all) > 1e6 ? 60 : 46;
    return {
      ...legend(drawn.map(({ name }) => name)), series: bounds ? [...drawn, boundsSeries(x, bounds)] : drawn,
      tooltip: { ...themeOption().tooltip, trigger: 'item' },
      xAxis: valueAxis(columnLabel(xName), xUnit, x), yAxis: valueAxis(series[0].label, series[0].unit, all, { nameGap: side }),
    };
  };
  const text = `${series.map(({ label }) => label).join(' and ')} against ${columnLabel(xName)}, ${table.rows} points.`;
  return { text, option, mark: markSentence(xMark, 'xAxis') || markSentence(yMark, 'yAxis'), numbers: () => tableNumbers(table, fact) };
}

/** Measured columns in the order of measurement, or by SM. */
function orderPanel(table, series, context) {
  const bySm = series.every(({ name }) => /by_sm$/.test(name));
  const rows = Array.from({ length: table.rows }, (_, row) => row);
  const ordered = { ...table, columns: { [bySm ? 'SM' : 'number']: rows, ...table.columns } };
  const panel = curvePanel(ordered, series, [bySm ? 'SM' : 'number'], { ...context, isPoints: 'owner' in table.columns });
  panel.text = `${series.map(({ label }) => label).join(', ')} ${bySm ? 'by SM' : 'in the order of measurement'}, ${table.rows} points.`;
  return panel;
}

function heatOption({ columns, rows, columnName, rowName, cells, unit, name, low, high, text, isDownward = false }) {
  return () => ({
    grid: { ...themeOption().grid, top: 44 },
    tooltip: { ...themeOption().tooltip, trigger: 'item', formatter: ({ data }) => text(data) },
    xAxis: axis('category', columnName, '', { data: columns }),
    yAxis: axis('category', rowName, '', { data: rows, inverse: isDownward, nameGap: 20 + 7 * Math.max(...rows.map((row) => row.length)) }),
    visualMap: {
      type: 'continuous', min: low, max: high, orient: 'horizontal', right: 0, top: 0, itemHeight: 120, itemWidth: 10, dimension: 2,
      text: [formatTick(high, unit), formatTick(low, unit)], textStyle: { color: themeColour('text') }, inRange: { color: scaleColours },
    },
    series: [{ type: 'heatmap', name, data: cells }],
  });
}

/** A measured column by two settings. */
function heatPanel(table, measured, settings, context) {
  const { fact } = context;
  const [xName, yName] = settings;
  const x = distinct(table.columns[xName]), y = distinct(table.columns[yName]);
  const rows = Array.from({ length: table.rows }, (_, row) => row).filter((row) => measured.values[row] !== null);
  const cells = rows.map((row) => [x.indexOf(table.columns[xName][row]), y.indexOf(table.columns[yName][row]), measured.values[row], row]);
  const values = rows.map((row) => measured.values[row]);
  const option = heatOption({
    columns: x.map((value) => columnText(xName, value, fact)), rows: y.map((value) => columnText(yName, value, fact)),
    columnName: columnLabel(xName), rowName: columnLabel(yName), cells, unit: measured.unit, name: measured.label,
    low: Math.min(...values), high: Math.max(...values), text: (data) => rowText(table, data[3], fact),
  });
  const text = `${measured.label} by ${columnLabel(xName)} and ${columnLabel(yName)}, ${rows.length} cells.`;
  return { text, option, mark: '', numbers: () => tableNumbers(table, fact), height: 380 };
}

/** How often each value of a column was seen. */
function countsPanel(table, name, context) {
  const { fact } = context;
  const values = table.columns[name], seen = distinct(values);
  const counts = seen.map((value) => values.filter((other) => other === value).length);
  const labels = seen.map((value) => columnText(name, value, fact));
  const isRead = fact && isNumber(fact.value) && fact.unit === unitOfColumn(name, fact) && seen.includes(fact.value);
  const option = () => ({
    tooltip: { ...themeOption().tooltip, trigger: 'item' },
    xAxis: axis('category', columnLabel(name), '', { data: labels }), yAxis: axis('value', 'times seen', '1', { nameGap: 46 }),
    series: [{ type: 'bar', name: 'times seen', barMaxWidth: 60,
      data: counts.map((value, index) => ({ value, itemStyle: { color: isRead && seen[index] === fact.value ? themeColour('mark') : categoryColours[0] } })) }],
  });
  const mark = isRead ? ` The marked bar is the value, ${formatFact(fact)}.` : '';
  return { text: `How often each ${columnLabel(name)} was seen, ${values.length} observations.`, option, mark,
    numbers: () => ({ head: [columnLabel(name), 'times seen'], rows: labels.map((label, index) => [label, String(counts[index])]) }) };
}
