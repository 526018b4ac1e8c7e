// What `tomograph predict --sweep --report` adds: the time of a kernel against the values of one fact.

/** An axis along the values that were tried, each with its tick. */
function sweepAxis({ fact, unit }, values) {
  const customValues = values;
  return axis('log', fact, unit, { logBase: 2, min: Math.min(...values), max: Math.max(...values), nameGap: 32,
    axisTick: { customValues }, axisLabel: { color: themeColour('muted'), hideOverlap: true, customValues, formatter: (value) => formatNumber(value, unit) } });
}

/** Cycles of the kernel, with the part that limits it at each point. */
function sweptTimeFigure(conditions, rows) {
  const [cycles, limit] = ['kernel.cycles', 'kernel.limit'].map((key) => conditions.columns.indexOf(key) + 1);
  const points = rows.map((row) => [row[0], row[cycles], row[limit]]);
  const option = () => ({
    grid: { ...themeOption().grid, right: 60 },
    tooltip: { ...themeOption().tooltip, formatter: ({ data: [value, time, part] }) => `${conditions.fact} ${formatNumber(value, conditions.unit)}<br><b>${formatNumber(time, 'cycle')}</b>, limited by ${part}` },
    xAxis: sweepAxis(conditions, rows.map(([value]) => value)), yAxis: axis('value', 'cycles of the kernel', 'cycle', { min: 0, nameGap: 60 }),
    series: [{ type: 'line', data: points, symbolSize: 7, encode: { x: 0, y: 1 }, label: { show: true, color: themeColour('text'), formatter: ({ data }) => data[2] } }],
  });
  return plotFigure({ title: `Time of ${conditions.kernel}`, option, caption: 'Each point names the part of the GPU that limits the kernel there.' });
}

/** Where the cycles of a warp go, for each value. */
function stackFigure(conditions, rows, columns) {
  const parts = Object.keys(columns).filter((name) => name.startsWith('kernel.stack.') && columns[name].some((cycles) => cycles > 0));
  const names = parts.map((name) => name.slice('kernel.stack.'.length).replaceAll('_', ' '));
  const values = rows.map(([value]) => formatNumber(value, conditions.unit));
  const option = () => ({
    ...legend(names), tooltip: { ...themeOption().tooltip, trigger: 'axis', valueFormatter: (cycles) => formatNumber(cycles, 'cycle') },
    xAxis: axis('category', conditions.fact, conditions.unit, { data: values, nameGap: 32 }), yAxis: axis('value', 'cycles of a warp', 'cycle', { nameGap: 60 }),
    series: parts.map((name, index) => ({ type: 'bar', stack: 'all', name: names[index], data: columns[name], color: categoryColours[index % categoryColours.length] })),
  });
  return plotFigure({ title: 'Where the cycles of a warp go', option, caption: 'Waits for each part, beside the instructions themselves and latencies without contention.',
    numbers: () => ({ head: [conditions.fact, ...names], rows: rows.map((_, row) => [values[row], ...parts.map((name) => formatNumber(columns[name][row], 'cycle'))]) }) });
}

/** The section of a device's sweep, or nothing. */
function predictionSection({ label, facts, evidence }) {
  const sweep = facts.get('kernel.sweep'), columns = evidence?.[sweep?.probe]?.['kernel.sweep'];
  if (!columns) return [];
  const { conditions, value: rows } = sweep;
  const table = htmlTable(`Predictions for ${conditions.kernel}`, [conditions.fact, ...conditions.columns],
    rows.map(([value, ...cells]) => [formatNumber(value, conditions.unit), ...cells.map((cell, index) => formatValue(cell, conditions.units[index]))]));
  return [section('prediction', 'Prediction', `${conditions.kernel} on ${label}, with other values of ${conditions.fact}. The facts below are what the prediction rests on.`,
    html('div', { class: 'pairs' }, sweptTimeFigure(conditions, rows), stackFigure(conditions, rows, columns)), table)];
}

/** Puts the predictions in front of all other sections. */
function addPredictions(devices, main, nav) {
  const sections = devices.flatMap(predictionSection);
  main.prepend(...sections);
  if (sections.length > 0) nav.prepend(html('a', { href: '#prediction' }, 'Prediction'));
}
