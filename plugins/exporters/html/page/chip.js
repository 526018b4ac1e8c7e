// The drawing of the chip: partitions, groups of SMs, SMs coloured by a fact, L2, memory and the links between.

const cellHeight = 24, columnGap = 24, chipWidth = 960;

/** The levels of the map of SMs, coarsest first: [{name, groups}]; none without a map. */
function mapLevelsOf(device) {
  const rows = groupsOf(device, 'sm.map') ?? [];
  if (rows.length === 0) return [];
  return ['TPC', 'CPC', 'GPC'].map((name, column) => {
    const groups = [];
    rows.forEach((row, sm) => { (groups[row[column]] ??= []).push(sm); });
    return { name, groups };
  }).reverse();
}

/** Groups of SMs that share something, coarsest first: [{name, groups}]. Only levels that split the device. */
function groupingsOf(device) {
  const levels = mapLevelsOf(device);
  if (levels.length > 0) return levels;
  const smCount = numberOf(device, 'device.sm_count');
  return [...device.facts.values()]
    .filter(({ key, value }) => key.endsWith('.sm_groups') && isGroups(value) && value.length > 1 && value.length < (smCount ?? Infinity))
    .map(({ key, value }) => ({ name: `group of ${titleOf(partOf(key))}`, groups: value }))
    .sort((a, b) => a.groups.length - b.groups.length);
}

const isInside = (inner, outer) => inner.every((sm) => outer.includes(sm));

/** The rows of SMs of a group: the finer groups inside of it, or rows of equal length. */
function rowsOf(group, finer) {
  const inside = finer?.groups.filter((inner) => isInside(inner, group)) ?? [];
  if (inside.flat().length === group.length) return inside;
  const length = Math.ceil(Math.sqrt(2 * group.length));
  return Array.from({ length: Math.ceil(group.length / length) }, (_, row) => group.slice(row * length, (row + 1) * length));
}

/** How the device is drawn: {columns: [{partition, groups: [{number, sms, rows}]}], grouping, finer}. */
function layoutOf(device) {
  const smCount = numberOf(device, 'device.sm_count') ?? 0;
  const everyone = Array.from({ length: smCount }, (_, sm) => sm);
  const [grouping, finer] = groupingsOf(device);
  const groups = (grouping?.groups ?? [everyone]).map((sms, number) => ({ number, sms, rows: rowsOf(sms, finer) }));
  const partitionOf = listOf(device, 'l2.partition.of_sm');
  const count = numberOf(device, 'l2.partition.count') ?? 1;
  const isNested = partitionOf && groups.every(({ sms }) => new Set(sms.map((sm) => partitionOf[sm])).size === 1);
  const columns = !isNested || count < 2 ? [{ partition: null, groups }] : Array.from({ length: count }, (_, partition) =>
    ({ partition, groups: groups.filter(({ sms }) => partitionOf[sms[0]] === partition) }));
  return { columns, grouping, finer: finer?.groups.some((inner) => groups.some(({ rows }) => rows.includes(inner))) ? finer : null };
}

/** What SMs can be coloured by: [{label, kind: "scale" | "group", unit, values}], one value for each SM. */
function coloursOf(device) {
  const smCount = numberOf(device, 'device.sm_count');
  const found = [];
  for (const { key, value, unit } of device.facts.values()) {
    if (!Array.isArray(value) || value.length === 0) continue;
    if (key.endsWith('.sm_groups') && isGroups(value) && value.length < smCount) {
      const values = [];
      value.forEach((sms, group) => sms.forEach((sm) => { values[sm] = group; }));
      found.push({ label: key, kind: 'group', unit, values });
    } else if (value.length === smCount && value.every(isNumber)) {
      found.push({ label: key, kind: key.endsWith('of_sm') ? 'group' : 'scale', unit, values: value });
    }
  }
  for (const curves of Object.values(device.evidence ?? {})) {
    for (const [name, columns] of Object.entries(curves)) {
      for (const [column, values] of Object.entries(columns)) {
        if (column.endsWith('cycles_by_sm') && values.length === smCount) found.push({ label: `${name}, ${columnLabel(column)}`, kind: 'scale', unit: 'cycle', values });
      }
    }
  }
  const different = found.filter(({ values }, index) => !isAlike(values, values.map(() => values[0])) && !found.slice(0, index).some((other) => isAlike(other.values, values)));
  return different.sort((a, b) => (a.kind === 'group') - (b.kind === 'group'));
}

/** Whether two columns are the same but for rounding. */
const isAlike = (a, b) => a.every((value, index) => Math.abs(value - b[index]) <= 0.001 * Math.abs(value));

function mixColour(share) {
  const place = Math.min(0.999, Math.max(0, share)) * (scaleColours.length - 1);
  const channel = (colour, index) => parseInt(colour.slice(1 + 2 * index, 3 + 2 * index), 16);
  const [from, to] = [scaleColours[Math.floor(place)], scaleColours[Math.floor(place) + 1]];
  const mixed = [0, 1, 2].map((index) => Math.round(channel(from, index) + (channel(to, index) - channel(from, index)) * (place % 1)));
  return `rgb(${mixed.join(' ')})`;
}

/** Black or white, whichever can be read on a colour. */
function inkOn(colour) {
  const [red, green, blue] = colour.startsWith('#') ? [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16)) : colour.match(/\d+/g).map(Number);
  return 0.299 * red + 0.587 * green + 0.114 * blue > 140 ? '#000000' : '#ffffff';
}

/** A function from SM to {fill, text} for a choice of coloursOf(). */
function painter(choice) {
  const known = choice.values.filter(isNumber);
  const low = Math.min(...known), high = Math.max(...known);
  return (sm) => {
    const value = choice.values[sm];
    if (!isNumber(value)) return { fill: '#888888', text: 'unknown' };
    if (choice.kind === 'group') return { fill: categoryColours[value % categoryColours.length], text: `group ${value}` };
    return { fill: mixColour(high > low ? (value - low) / (high - low) : 0.5), text: formatNumber(value, choice.unit) };
  };
}

function drawRow(sms, x, y, width, cellWidth) {
  return sms.map((sm, place) => svg('g', { class: 'sm', role: 'option', id: `sm${sm}`, 'data-sm': sm, transform: `translate(${x + place * cellWidth} ${y})` },
    svg('rect', { width: cellWidth - 3, height: cellHeight - 3, rx: 3 }),
    svg('text', { x: (cellWidth - 3) / 2, y: 15 }, String(sm))));
}

/** A group's box with its SMs. Returns its height. */
function drawGroup(parent, group, x, y, width, link) {
  const longest = Math.max(...group.rows.map((row) => row.length));
  const cellWidth = Math.min(44, (width - 16) / longest);
  const height = 30 + group.rows.length * cellHeight + 4;
  parent.append(svg('g', {},
    svg('rect', { class: 'group', x, y, width, height, rx: 6 }),
    svg('text', { class: 'label', x: x + 8, y: y + 18 }, counted(group.sms.length, 'SM')),
    svg('text', { class: 'label muted', x: x + width - 8, y: y + 18, 'text-anchor': 'end' }, link ? `${link} to L2` : ''),
    group.rows.map((row, number) => drawRow(row, x + 8, y + 28 + number * cellHeight, width, cellWidth))));
  return height;
}

/** All groups of a column of the drawing, in a grid. Returns the y where the column ends. */
function drawColumn(parent, column, x, width, { links, note }) {
  const perRow = Math.max(1, Math.min(column.groups.length, Math.round(width / 230)));
  const groupWidth = (width - 10 * (perRow + 1)) / perRow;
  const title = column.partition === null ? '' : `SMs near L2 partition ${column.partition}`;
  let y = title || note ? 36 : 10, tallest = 0;
  parent.append(svg('text', { class: 'label', x: x + 12, y: 24 }, title));
  parent.append(svg('text', { class: 'label muted', x: x + width - 12, y: 24, 'text-anchor': 'end' }, note));
  column.groups.forEach((group, index) => {
    const place = index % perRow;
    if (place === 0 && index > 0) { y += tallest + 10; tallest = 0; }
    tallest = Math.max(tallest, drawGroup(parent, group, x + 10 + place * (groupWidth + 10), y, groupWidth, links[group.number]));
  });
  return y + tallest + 10;
}
