// Heat maps of facts that are tables: by SM, by cluster size, by tile.

/** A map of texts and numbers, rows × columns; null where all numbers are the same. */
function mapFigure({ title, caption, rowName, columnName, rows, columns, cells, unit }) {
  const values = cells.map(([, , value]) => value);
  if (Math.min(...values) === Math.max(...values)) return null;
  const option = heatOption({
    columns, rows, columnName, rowName, cells, isDownward: true, unit, name: title, low: Math.min(...values), high: Math.max(...values),
    text: ([column, row, value]) => `${columnName} ${columns[column]}, ${rowName} ${rows[row]}<br><b>${formatNumber(value, unit)}</b>`,
  });
  return plotFigure({ title, caption, option, height: 110 + 26 * Math.max(2, rows.length),
    numbers: () => ({ head: [rowName, columnName, 'value'], rows: cells.map(([column, row, value]) => [rows[row], columns[column], formatNumber(value, unit)]) }) });
}

/** Values of single SMs, a row for each group that shares the coarsest cache. */
function smMaps(device) {
  const groups = groupingsOf(device)[0]?.groups;
  const smCount = numberOf(device, 'device.sm_count');
  const perRow = 16;
  return coloursOf(device).filter(({ kind }) => kind === 'scale').slice(0, 6).map(({ label, unit, values }) => {
    const rows = groups ?? Array.from({ length: Math.ceil(smCount / perRow) }, (_, row) => Array.from({ length: Math.min(perRow, smCount - row * perRow) }, (__, place) => row * perRow + place));
    const cells = rows.flatMap((sms, row) => sms.map((sm, place) => [place, row, values[sm]])).filter(([, , value]) => isNumber(value));
    return mapFigure({ title: /by.sm$/i.test(label) ? label : `${label} by SM`, unit, cells, rowName: groups ? 'group' : 'row', columnName: 'place in the group',
      rows: rows.map((_, row) => String(row)), columns: Array.from({ length: Math.max(...rows.map((sms) => sms.length)) }, (_, place) => String(place)),
      caption: `One cell for each SM${groups ? `, one row for each ${groupingsOf(device)[0].name}` : ''}.` });
  });
}

/** Facts whose rows hold several values: rows by columns. */
function rowMaps(device) {
  return [...device.facts.values()].filter(isWideTable).map((fact) => {
    const width = Math.max(...fact.value.map((row) => row.length)) - 1;
    return mapFigure({ title: fact.key, unit: fact.unit, rowName: fact.key.startsWith('dsmem') ? 'CTAs of a cluster' : 'row', columnName: 'access',
      rows: fact.value.map(([first]) => formatValue(first)), columns: Array.from({ length: width }, (_, index) => fact.key.startsWith('dsmem') ? codeNames.partner[index + 1] ?? String(index) : String(index + 1)),
      cells: fact.value.flatMap((row, index) => row.slice(1).map((value, column) => [column, index, value])), caption: fact.description ?? '' });
  });
}

/** Facts of [from, to, value]: from by to. */
function tripleMaps(device) {
  const facts = [...device.facts.values()].filter(({ value, unit }) => isTriples(value, unit) && value.flat().every(isNumber));
  return facts.map(({ key, value, unit, description }) => {
    const rows = distinct(value.map(([from]) => from)), columns = distinct(value.map(([, to]) => to));
    const [rowName, columnName] = key.startsWith('link.') ? ['from GPU', 'to GPU'] : ['row', 'column'];
    return mapFigure({ title: key, unit, rowName, columnName, rows: rows.map((from) => formatValue(from)), columns: columns.map((to) => formatValue(to)),
      cells: value.map(([from, to, cell]) => [columns.indexOf(to), rows.indexOf(from), cell]), caption: description ?? '' });
  });
}

const isWideTable = ({ key, value, unit }) => !isTriples(value, unit) && Array.isArray(value) && value.length > 1 && !key.endsWith('groups') &&
  value.every((row) => Array.isArray(row) && row.length > 2 && row.every(isNumber));

const isPairs = ({ value }) => Array.isArray(value) && value.length > 1 && value.every((row) => isPair(row) && row.every(isNumber));

/** Facts of one part that are pairs of the same kind and unit, one row each: "latency by tile". */
function pairMaps(device) {
  const families = new Map();
  for (const fact of device.facts.values()) {
    const kind = /(\w*latency\w*|\w*bandwidth\w*|throughput|ridge_warps)?_by_(\w+)$/.exec(fact.key);
    if (!kind || !isPairs(fact)) continue;
    const id = `${partOf(fact.key)}|${kind[2]}|${fact.unit}`;
    if (!families.has(id)) families.set(id, { by: kind[2], facts: [] });
    families.get(id).facts.push(fact);
  }
  return [...families.values()].filter(({ facts }) => facts.length > 1 || facts[0].value.length > 4).map(({ by, facts }) => {
    const part = partOf(facts[0].key), columns = distinct(facts.flatMap(({ value }) => value.map(([x]) => x)));
    const unit = facts[0].unit;
    return mapFigure({ title: `${titleOf(part)} by ${by.replaceAll('_', ' ')}`, unit, rowName: '', columnName: by === 'tile' ? 'bytes of a tile' : by.replaceAll('_', ' '),
      columns: columns.map((x) => formatNumber(x, by === 'tile' ? 'B' : '')), rows: facts.map(({ key }) => key.slice(part.length + 1)),
      cells: facts.flatMap(({ value }, row) => value.map(([x, y]) => [columns.indexOf(x), row, y])),
      caption: facts.map(({ key, description }) => (description ? `${key.slice(part.length + 1)}: ${description.replace(/^Pairs: /, '')}.` : '')).slice(0, 2).join(' ') });
  });
}

const mapFigures = (device) => [...smMaps(device), ...pairMaps(device), ...tripleMaps(device), ...rowMaps(device)].filter(Boolean);
