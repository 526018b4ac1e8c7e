// The sizes of the hierarchy on a logarithmic scale, and the first values that a reader asks for.

const rowHeight = 30, labelWidth = 170, barsWidth = 640, hierarchyWidth = 1060;

/** Everything that has a capacity, smallest first: [{part, kind, fact, latency}]. */
function capacitiesOf(device) {
  const rows = [];
  for (const fact of device.facts.values()) {
    const part = partOf(fact.key), rest = fact.key.slice(part.length + 1);
    const isCapacity = rest === 'size' || rest === 'reach' || fact.key === 'shared.size_per_sm';
    if (!isCapacity || fact.unit !== 'B' || !isNumber(fact.value) || fact.value <= 0 || part === 'constant_memory') continue;
    rows.push({ part, kind: rest === 'reach' ? 'reach' : part === 'dram' || part === 'shared' ? 'memory' : 'cache', fact, latency: latencyText(device, part) });
  }
  return rows.sort((a, b) => a.fact.value - b.fact.value);
}

function latencyText(device, part) {
  const latency = factText(device, `${part}.latency`), penalty = factText(device, `${part}.miss_penalty`);
  return latency || (penalty && `miss adds ${penalty}`);
}

function drawTicks(parent, scale, first, last, height) {
  for (let power = first; power <= last; power += 1) {
    const x = scale(2 ** power);
    parent.append(svg('line', { class: 'tick', x1: x, x2: x, y1: 20, y2: height }));
    if (power % 5 === 0) parent.append(svg('text', { class: 'label muted', x, y: 14, 'text-anchor': 'middle' }, formatNumber(2 ** power, 'B')));
  }
}

function drawCapacity(row, y, scale) {
  const { fact } = row, x = scale(fact.value);
  const [low, high] = fact.interval ?? [fact.value, fact.value];
  return svg('g', {},
    svg('text', { class: 'title', x: labelWidth - 10, y: y + 18, 'text-anchor': 'end' }, titleOf(row.part)),
    svg('rect', { class: `capacity ${row.kind}`, x: labelWidth, y: y + 5, width: Math.max(2, x - labelWidth), height: 18, rx: 3 }),
    low < high ? svg('line', { class: 'whisker', x1: scale(low), x2: scale(high), y1: y + 14, y2: y + 14 }) : null,
    svg('text', { class: 'label', x: scale(high) + 8, y: y + 18 }, `${formatFact(fact)}${row.latency ? ` · ${row.latency}` : ''}`));
}

/** Bars of the capacities of a device. */
function hierarchyFigure(device) {
  const rows = capacitiesOf(device);
  if (rows.length === 0) return html('p', {}, 'No capacity was measured.');
  const first = Math.floor(Math.log2(rows[0].fact.value)) - 1, last = Math.ceil(Math.log2(rows.at(-1).fact.value));
  const scale = (value) => labelWidth + barsWidth * Math.max(0, Math.log2(value) - first) / (last - first);
  const height = 26 + rows.length * rowHeight;
  const text = rows.map(({ part, fact }) => `${titleOf(part)} ${formatFact(fact)}`).join(', ');
  const drawing = svg('svg', { class: 'hierarchy', viewBox: `0 0 ${hierarchyWidth} ${height}`, role: 'img', 'aria-label': `${device.label}: ${text}` });
  drawTicks(drawing, scale, first, last, height);
  rows.forEach((row, index) => drawing.append(drawCapacity(row, 24 + index * rowHeight, scale)));
  return html('figure', {}, html('div', { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': `Sizes of ${device.label}` }, drawing),
    html('figcaption', {}, 'Capacity on a logarithmic scale. Blue: caches, for one instance. Green: memories. Orange: what a TLB reaches. Thin lines are intervals.'));
}

// The values that a reader asks for first. Those that a device lacks give way to the next.
const headlines = [
  ['l1_data.size', 'L1 data cache'], ['l1_data.latency', 'L1 latency'], ['l2.size', 'L2 cache'], ['l2.latency', 'L2 latency'],
  ['l2.bandwidth.read', 'L2 reads'], ['dram.latency', 'Memory latency'], ['dram.bandwidth.read', 'Memory reads'],
  ['shared.latency', 'Shared memory latency'], ['dsmem.latency', 'SM-to-SM latency'], ['instruction.fp32_fma.throughput', 'FP32 FMA per cycle, SM'],
  ['l2.miss_penalty', 'L2 miss adds'], ['tlb.l1.reach', 'L1 TLB reach'], ['tlb.l2.reach', 'L2 TLB reach'], ['l1_data.bandwidth.read', 'L1 reads'],
  ['shared.bandwidth.read', 'Shared memory reads'], ['constant_l1.latency', 'Constant L1 latency'], ['l1_data.line_size', 'L1 line'], ['l2.line_size', 'L2 line'],
];
const headlineCount = 10;

function headline(devices, [key, title]) {
  const verdict = comparisonOf(devices, key);
  return html('li', { class: verdict },
    html('a', { href: `#${key}` }, title),
    devices.map((device) => {
      const fact = device.facts.get(key);
      const interval = fact?.interval && fact.interval[0] < fact.interval[1] ? formatRange(...fact.interval, fact.unit) : '';
      return html('p', {}, devices.length > 1 ? html('small', {}, device.label) : null,
        html('strong', {}, fact ? formatFact(fact) : 'no answer'), html('small', {}, fact ? [interval, formatConfidence(fact.confidence)].filter(Boolean).join(', ') : ''));
    }));
}

/** The ten first values, each with its interval and confidence. */
function headlineList(devices) {
  const present = headlines.filter(([key]) => devices.some((device) => device.facts.has(key)));
  return html('ul', { class: 'headlines', 'aria-label': 'The first ten values' }, present.slice(0, headlineCount).map((entry) => headline(devices, entry)));
}
