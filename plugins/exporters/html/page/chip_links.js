// The lower half of the drawing: links, L2 partitions, memory; and the drawing as a whole.

/** A line whose width grows with the logarithm of its bandwidth, and its label. */
function drawLink(x, y1, y2, bandwidth, text) {
  const width = bandwidth ? Math.max(2, 3 * (Math.log10(bandwidth) - 10)) : 2;
  return svg('g', {}, svg('line', { class: 'link', x1: x, x2: x, y1, y2, 'stroke-width': width }),
    svg('text', { class: 'label', x: x + 12, y: (y1 + y2) / 2 + 5 }, text));
}

function drawBar(x, y, width, title, text) {
  return svg('g', {}, svg('rect', { class: 'memory', x, y, width, height: 46, rx: 6 }),
    svg('text', { class: 'title', x: x + 12, y: y + 20 }, title), svg('text', { class: 'label', x: x + 12, y: y + 37 }, text));
}

const joined = (...texts) => texts.filter(Boolean).join(' · ');
const named = (text, name) => (text ? `${name} ${text}` : '');

/** What the drawing says of L2 as a whole or of one partition. */
function cacheTexts(device, partition) {
  const isWhole = partition === null;
  return [isWhole ? 'L2 cache' : `L2 partition ${partition}`,
    joined(factText(device, isWhole ? 'l2.size' : 'l2.partition.size'),
      named(factText(device, 'l2.latency.near') || factText(device, 'l2.latency'), isWhole ? '' : 'near').trim(),
      isWhole ? '' : named(factText(device, 'l2.latency.far'), 'far'))];
}

const hasL2 = (device) => ['l2.size', 'l2.nominal_size', 'l2.latency', 'l2.partition.of_sm'].some((key) => device.facts.has(key));

/** The L2, or its partitions, below the SMs; returns where it ends. */
function drawL2(device, parent, columns, xs, width, y) {
  const toL2 = factText(device, 'l2.bandwidth.read');
  columns.forEach((column, index) => {
    parent.append(drawLink(xs[index] + width / 2, y, y + 40, numberOf(device, 'l2.bandwidth.read'), index === 0 && toL2 ? `L2 reads ${toL2}${columns.length > 1 ? ' in all' : ''}` : ''));
    parent.append(drawBar(xs[index] + 10, y + 40, width - 20, ...cacheTexts(device, column.partition)));
    if (index > 0) parent.append(svg('line', { class: 'link', x1: xs[index] - columnGap - 10, x2: xs[index] + 10, y1: y + 63, y2: y + 63, 'stroke-width': 6 }));
  });
  return y + 86;
}

function drawMemory(device, parent, columns, xs, width, y) {
  const top = hasL2(device) ? drawL2(device, parent, columns, xs, width, y) : y;
  for (const x of xs) parent.append(drawLink(x + width / 2, top, top + 26, numberOf(device, 'dram.bandwidth.read'), ''));
  parent.append(drawBar(10, top + 26, chipWidth - 20, 'Global memory', joined(factText(device, 'dram.size'),
    factText(device, 'dram.latency'), named(factText(device, 'dram.bandwidth.read'), 'reads'), named(factText(device, 'dram.bandwidth.write'), 'writes'))));
  return top + 78;
}

/** Bandwidth of each group's link, where it was measured by group. */
function linksOf(device, grouping) {
  const rows = groupsOf(device, 'noc.bandwidth_by_group') ?? [];
  return grouping && rows.length === grouping.groups.length ? rows.map(([, rate]) => formatNumber(rate, 'B/cycle')) : [];
}

function chipSummary(device, layout) {
  const groups = layout.columns.flatMap(({ groups: list }) => list);
  const split = layout.columns.length > 1 ? `${layout.columns.length} L2 partitions, ` : '';
  return `${device.label}: ${split}${counted(groups.length, 'group')} of SMs. Arrow keys move from SM to SM.`;
}

/** The SVG of a device, its SMs not yet coloured. */
function drawChip(device, layout) {
  const count = layout.columns.length;
  const width = (chipWidth - columnGap * (count - 1)) / count;
  const xs = layout.columns.map((_, index) => index * (width + columnGap));
  const content = svg('g', {});
  const links = linksOf(device, layout.grouping), network = joined(factText(device, 'dsmem.latency'), factText(device, 'dsmem.bandwidth.read'));
  const bottom = Math.max(...layout.columns.map((column, index) => drawColumn(content, column, xs[index], width, { links, note: index === 0 ? named(network, 'SM to SM') : '' })));
  const frames = layout.columns.map((_, index) => svg('rect', { class: 'frame', x: xs[index] + 1, y: 1, width: width - 2, height: bottom, rx: 10 }));
  const height = drawMemory(device, content, layout.columns, xs, width, bottom);
  return svg('svg', { class: 'chip', viewBox: `0 0 ${chipWidth} ${height}`, role: 'listbox', tabindex: 0, 'aria-label': chipSummary(device, layout) }, frames, content);
}

/** Lets pointer and arrow keys choose an SM; calls `show` with it. */
function makeWalkable(drawing, show) {
  const cells = [...drawing.querySelectorAll('.sm')];
  let chosen = -1;
  const choose = (index) => {
    if (chosen >= 0) cells[chosen].setAttribute('aria-selected', 'false');
    chosen = (index + cells.length) % cells.length;
    cells[chosen].setAttribute('aria-selected', 'true');
    drawing.setAttribute('aria-activedescendant', cells[chosen].id);
    show(Number(cells[chosen].dataset.sm));
  };
  cells.forEach((cell, index) => cell.addEventListener('pointerenter', () => choose(index)));
  drawing.addEventListener('keydown', (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!step || cells.length === 0) return;
    event.preventDefault();
    choose(chosen < 0 && step > 0 ? 0 : chosen + step);
  });
}

function colourKey(choice) {
  const known = choice.values.filter(isNumber);
  if (choice.kind === 'group') return [`${new Set(known).size} groups`];
  return [formatNumber(Math.min(...known), choice.unit), html('span', { class: 'scale', style: `background:linear-gradient(90deg, ${scaleColours.join(',')})` }), formatNumber(Math.max(...known), choice.unit)];
}

/** Where an SM is, and what its colour says. */
function smText(device, sm, choice, paint) {
  const place = groupingsOf(device).map(({ name, groups }) => `${name} ${groups.findIndex((group) => group.includes(sm))}`);
  const partition = listOf(device, 'l2.partition.of_sm')?.[sm];
  return [`SM ${sm}`, partition === undefined ? '' : `L2 partition ${partition}`, ...place, choice ? `${choice.label}: ${paint(sm).text}` : ''].filter(Boolean).join(', ');
}

/** The drawing with the choice of its colours and a line of text for the chosen SM. */
function chipFigure(device, index) {
  const layout = layoutOf(device);
  const drawing = drawChip(device, layout);
  for (const cell of drawing.querySelectorAll('.sm')) {
    cell.id = `device${index}-${cell.id}`;
    cell.setAttribute('aria-label', `SM ${cell.dataset.sm}`);
    cell.setAttribute('aria-selected', 'false');
  }
  const status = html('p', { class: 'status', 'aria-live': 'polite' }, 'Point at an SM, or move there with the arrow keys.');
  const select = html('select', { id: `colour${index}` }), key = html('span', { class: 'key' });
  const figure = html('figure', { class: 'chip-figure' },
    html('div', { class: 'controls' }, html('label', { for: `colour${index}` }, 'SMs coloured by '), select, key), html('div', { class: 'scroll' }, drawing), status, insideList(device));
  let choices = [], paint = null;
  const recolour = () => {
    const choice = choices[select.selectedIndex];
    if (!choice) return;
    paint = painter(choice);
    key.replaceChildren(...colourKey(choice));
    for (const cell of drawing.querySelectorAll('.sm')) {
      const { fill, text } = paint(Number(cell.dataset.sm));
      cell.firstChild.setAttribute('style', `fill:${fill}`);
      cell.lastChild.setAttribute('style', `fill:${inkOn(fill)}`);
      cell.setAttribute('aria-label', `SM ${cell.dataset.sm}, ${text}`);
    }
  };
  figure.offer = () => {
    const before = choices[select.selectedIndex]?.label;
    choices = coloursOf(device);
    figure.firstChild.hidden = choices.length === 0;
    select.replaceChildren(...choices.map(({ label }) => html('option', {}, label)));
    select.selectedIndex = Math.max(0, choices.findIndex(({ label }) => label === before));
    recolour();
  };
  select.addEventListener('change', recolour);
  makeWalkable(drawing, (sm) => { status.textContent = smText(device, sm, choices[select.selectedIndex], paint); });
  figure.offer();
  return figure;
}
