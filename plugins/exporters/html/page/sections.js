// Sections that gather several facts: occupancy, bandwidth, spectrum, maps; what is uncertain; provenance.

const noSuchFacts = 'This device has no such facts.';

/** Why a device has no figures of the curves behind the facts that `concerns` chooses. */
const curvesMissing = (concerns) => (device) => {
  const isMissing = (fact) => concerns(fact) && fact.evidence && !columnsOf(device, fact);
  return [...device.facts.values()].some(isMissing) ? 'Its curves are not in this page.' : noSuchFacts;
};

/** A figure for each device, side by side. make: from device to figures; none: from device to why there are none. */
function beside(devices, make, none = () => '') {
  const columns = devices.map((device) => {
    const figures = make(device);
    return html('div', {}, devices.length > 1 ? html('h3', {}, device.label) : null,
      figures.length > 0 ? html('div', { class: devices.length > 1 ? 'stack' : 'pairs' }, figures) : html('p', { class: 'muted' }, none(device)));
  });
  return html('div', { class: 'columns' }, columns);
}

/** Distinct curves of a device whose name matches: [{probe, name, columns}]. */
function curvesNamed(device, pattern) {
  return Object.entries(device.evidence ?? {}).flatMap(([probe, curves]) => Object.entries(curves)
    .filter(([name]) => pattern.test(name)).map(([name, columns]) => ({ probe, name, columns })));
}

const isOccupancy = ({ evidence }) => /^instruction\./.test(evidence);

/** Instructions per cycle against the warps of an SM, one curve for each instruction: a roof over a slope. */
function rooflineFigure(device) {
  const warpSize = warpSizeOf(device);
  const curves = curvesNamed(device, /^instruction\./).filter(({ columns }) => columns.warps && columns.ilp && columns.cycles_per_instruction);
  if (curves.length === 0) return [];
  const pointsOf = ({ columns }) => columns.warps.map((warps, row) => [warps, columns.ilp[row], warpSize / columns.cycles_per_instruction[row]])
    .filter(([, ilp]) => ilp === 1).map(([warps, , rate]) => [warps, rate]).sort((a, b) => a[0] - b[0]);
  const named = curves.map((curve) => ({ name: curve.name.replace('instruction.', ''), points: pointsOf(curve) }));
  const ridges = named.map(({ name }) => `${name} ${factText(device, `instruction.${name}.ridge_warps`) || 'unknown'}`).join(', ');
  const option = () => ({
    ...legend(named.map(({ name }) => name)), grid: { ...themeOption().grid, top: 40 },
    tooltip: { ...themeOption().tooltip, trigger: 'axis', valueFormatter: (value) => `${significant(value, 4)} per cycle` },
    xAxis: axis('log', 'warps on an SM, one independent instruction each', '1', { logBase: 2 }),
    yAxis: axis('log', 'instructions of threads per cycle and SM', '1', { logBase: 2, nameGap: 40 }),
    series: named.map(({ name, points }, index) => ({ type: 'line', name, data: points, symbolSize: 5, color: categoryColours[index % categoryColours.length],
      lineStyle: { width: 2, type: index < categoryColours.length ? 'solid' : 'dashed' } })),
  });
  return [plotFigure({ title: 'Occupancy roofline', height: 420, option,
    caption: `Few warps wait for results: the slope. Many warps wait for the pipeline: the roof. Warps that reach 95 % of the roof: ${ridges}.`,
    numbers: () => ({ head: ['instruction', 'warps', 'per cycle and SM'],
      rows: named.flatMap(({ name, points }) => points.map(([warps, rate]) => [name, String(warps), significant(rate, 4)])) }) })];
}

/** The best bandwidth for each number of warps of an SM and each ILP, over all other settings tried. */
function surfaceCells(table, valueName, warpSize) {
  const best = new Map();
  const warps = warpsOfSm(table, warpSize);
  table.columns[valueName].forEach((value, row) => {
    const id = `${warps[row]}|${table.columns.ilp[row]}`;
    if (!(best.get(id)?.value >= value)) best.set(id, { warps: warps[row], ilp: table.columns.ilp[row], value });
  });
  return [...best.values()];
}

function surfaceFigure(title, fact, table, warpSize) {
  const valueName = Object.keys(table.columns).find((name) => /bandwidth|bytes_per/.test(name));
  const cells = surfaceCells(table, valueName, warpSize);
  const x = distinct(cells.map(({ warps }) => warps)), y = distinct(cells.map(({ ilp }) => ilp));
  const unit = unitOfColumn(valueName, fact), values = cells.map(({ value }) => value);
  const option = heatOption({
    columns: x.map(String), rows: y.map(String), columnName: 'warps of an SM', rowName: 'independent loads of a thread (ILP)', unit,
    cells: cells.map(({ warps, ilp, value }) => [x.indexOf(warps), y.indexOf(ilp), value]), name: title, low: Math.min(...values), high: Math.max(...values),
    text: ([column, row, value]) => `${x[column]} warps, ILP ${y[row]}<br><b>${formatNumber(value, unit)}</b>`,
  });
  const all = table.columns[valueName].length;
  return plotFigure({ title, option, height: 300,
    caption: `The best of ${all} configurations for each number of warps and loads in flight; ${all - cells.length} lesser ones at the same place are left out here, the fact's own curve shows all.`,
    numbers: () => ({ head: ['warps of an SM', 'ILP', 'bandwidth'], rows: cells.map(({ warps, ilp, value }) => [String(warps), String(ilp), formatNumber(value, unit)]) }) });
}

const isSearchedBandwidth = ({ key }) => /\.bandwidth\.(read|write|copy)$/.test(key);

/** Surfaces of every bandwidth that was searched. */
function surfaceFigures(device) {
  const seen = new Set();
  return [...device.facts.values()].filter((fact) => isSearchedBandwidth(fact) && fact.evidence).flatMap((fact) => {
    const columns = columnsOf(device, fact);
    const table = columns && tablesFor(fact, columns).find(isSearch);
    const id = table && `${fact.probe} ${fact.evidence} ${table.family}`;
    if (!table || seen.has(id)) return [];
    seen.add(id);
    return [surfaceFigure(`${titleOf(partOf(fact.key))}, ${fact.key.split('.').at(-1)}`, fact, table, warpSizeOf(device))];
  });
}

const isSpectrum = ({ evidence }) => /spectrum/.test(evidence);

const modeColumns = /^(p\d+)_cycles$/;

/** The latencies of all memory patterns in one histogram, the modes marked. */
function spectrumFigure(device) {
  return curvesNamed(device, /spectrum/).map(({ name, columns }) => {
    const samples = Object.keys(columns).filter((column) => modeColumns.test(column) && columns[column].length > 0).map((column) => {
      const mode = modeColumns.exec(column)[1], fact = device.facts.get(`${name}.${mode}`);
      return { name: column, unit: 'cycle', values: columns[column], fact, label: joinedLabel(mode, fact) };
    });
    const panel = histogramPanel(samples, { device, fact: null }, 0.01);
    const option = () => {
      const made = panel.option();
      made.grid = { ...themeOption().grid, top: 90 };
      made.series.forEach((series, index) => { series.markLine = modeLines(samples[index], categoryColours[index], modesBeside(device, samples[index].fact), index); });
      return made;
    };
    const modes = samples.filter(({ fact }) => fact).map(({ label, fact }) => `${label}: ${formatFact(fact)}`).join('; ');
    return plotFigure({ title: 'Latency of single loads', height: 440, option, numbers: panel.numbers,
      caption: `${panel.text} Dashed lines are the values of the modes, means of the loads that are not delayed. ${modes}.` });
  });
}

/** Facts that divide a mode by distance, which its own key or that of the same value names: dram.latency.near and .far. */
function modesBeside(device, fact) {
  const same = [...device.facts.values()].find(({ key, value }) => fact && value === fact.value && device.facts.has(`${key}.near`));
  return same ? ['near', 'far'].map((name) => ({ name, value: numberOf(device, `${same.key}.${name}`) })).filter(({ value }) => value !== null) : [];
}

function modeLines({ fact }, colour, parts, index) {
  const line = (value, text, type) => ({ xAxis: value, lineStyle: { type }, label: { formatter: text, distance: [0, 4 + 13 * (index % 3)] } });
  return {
    silent: true, symbol: 'none', lineStyle: { color: colour, width: 1.5 }, label: { color: themeColour('text'), fontSize: 11 },
    data: [...(fact ? [line(fact.value, formatNumber(fact.value, ''), 'dashed')] : []), ...parts.map(({ name, value }) => line(value, `${name} ${formatNumber(value, '')}`, 'dotted'))],
  };
}

function joinedLabel(mode, fact) {
  return fact?.description ? `${mode} ${fact.description.charAt(0).toLowerCase()}${fact.description.slice(1)}` : mode;
}
