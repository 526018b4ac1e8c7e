// Which panels show the curve behind a fact.

const orderedNames = /^(latency_cycles|latency_through_alias_cycles|along_|in_blocks|best_repetitions)|_by_sm$/;
const fewSamples = 600;

const warpsOfSm = ({ columns }, warpSize) => columns.threads.map((threads, row) => threads * columns.ctas_per_sm[row] / warpSize);

/** Whether a table holds the configurations of a search for bandwidth. */
const isSearch = ({ columns }) => 'threads' in columns && 'ctas_per_sm' in columns && 'ilp' in columns;

/** A table of a search with the warps of an SM in place of threads and CTAs. */
function searchByWarps(table, warpSize) {
  const { threads, ctas_per_sm, footprint, ...others } = table.columns;
  return { ...table, columns: { warps: warpsOfSm(table, warpSize), ...others } };
}

/** A table of names of probes that differ, threads of a CTA under one name. */
function withThreads(table) {
  const { cta_threads: threads, ...others } = table.columns;
  return threads ? { ...table, columns: { threads, ...others } } : table;
}

const isSamples = (table, settings, series) => series.length > 0 && series.every(({ unit }) => unit === 'cycle') &&
  (/^p\d+$/.test(table.family) || (settings.length === 0 && !series.some(({ name }) => orderedNames.test(name)) &&
    (table.rows > fewSamples || series.some(({ name }) => /^(hit|miss)_cycles$|^cycles$|extra_cycles$|less_/.test(name)))));

/** Whether two settings span a map: pairs of SMs, or many values of both. */
function isGrid(table, settings) {
  if (settings.length < 2) return false;
  const [x, y] = settings.map((name) => distinct(table.columns[name]).length);
  const isPairsOfSms = settings.slice(0, 2).every((name) => name.endsWith('_sm')) && Math.min(x, y) > 2;
  return isPairsOfSms || (settings.length === 2 && Math.min(x, y) > 6 && table.rows >= 0.15 * x * y);
}

/** The panels of one table that is not a set of samples. */
function panelsOfTable(table, context) {
  const settings = variedSettings(table);
  const series = measuredSeries(table, context.fact);
  if (series.length === 0) return Object.keys(table.columns).filter((name) => !totalNames.test(name)).slice(0, 1).map((name) => countsPanel(table, name, context));
  const units = [...new Set(series.map(({ unit }) => unit))];
  return units.flatMap((unit) => {
    const ofUnit = series.filter((measured) => measured.unit === unit);
    if (settings.length === 0 || 'owner' in table.columns) return orderPanel(table, ofUnit, context);
    if (isGrid(table, settings)) return heatPanel(table, ofUnit[0], settings, context);
    if (table.rows > 2000) return densityPanel(table, ofUnit[0], settings[0], context);
    const curves = rowsBySettings(table, seriesSettings(table, settings.slice(1)), context.fact).size;
    const panels = curves * ofUnit.length > 2 * categoryColours.length || curves > 4 ? ofUnit.map((measured) => [measured]) : [ofUnit];
    return panels.map((list) => curvePanel(table, list, settings, context));
  });
}

/** The search's points with the warps of an SM along the axis. */
function searchPanel(table, context) {
  const plain = searchByWarps(table, warpSizeOf(context.device));
  const series = measuredSeries(plain, context.fact);
  const panel = curvePanel(plain, series, ['warps', ...variedSettings(plain).filter((name) => name !== 'warps')], context);
  panel.text = `${series[0].label} of every configuration tried against the warps of an SM, ${table.rows} points.`;
  return panel;
}

/** Panels that a fact's own unit selects, or all where none has it. */
function fittingPanels(panels) {
  const marked = panels.filter(({ mark }) => mark);
  return marked.length > 0 ? [...marked, ...panels.filter(({ mark }) => !mark)] : panels;
}

/** Tables of the direction that the key names ("read" of dram.bandwidth.read), or all. */
function tablesFor(fact, columns) {
  const tables = tablesOf(columns).map(withThreads);
  const last = fact?.key.split('.').at(-1);
  const named = tables.filter(({ family }) => family === last);
  return named.length > 0 ? named : tables;
}

/** What is plotted of a curve, the panels with the fact's mark first: [{text, option, mark, numbers, height}]. */
function panelsOf(columns, context) {
  const samples = [], panels = [];
  for (const table of tablesFor(context.fact, columns)) {
    const series = measuredSeries(table, context.fact);
    if (isSearch(table)) panels.push(searchPanel(table, context));
    else if (isSamples(table, variedSettings(table), series)) {
      samples.push(...series.map((measured) => ({ ...measured, label: [table.family, measured.label].filter(Boolean).join(' ') })));
    } else panels.push(...panelsOfTable(table, context));
  }
  if (samples.length > 0) panels.unshift(histogramPanel(samples, context));
  return fittingPanels(panels);
}

// How to read the curves, from the READMEs of the probes.
const readings = [
  [/spectrum/, 'Single loads. Each program has its own distribution; delayed loads form a tail.'],
  [/^dsmem\.latency/, 'Latency of every pair of SMs; the spread reflects their distance.'],
  [/^tma\.latency/, 'Latency by the size of the tile, for each method.'],
  [/^atomics\..*throughput/, 'Rates by the lanes of a warp that use the same word, and by warps.'],
  [/^atomics\..*latency/, 'Latency of each SM, for each trial.'],
  [/^shared\.latency/, 'Latency by the stride between the lanes of a warp.'],
  [/^shared\.size/, 'The most shared memory of a CTA, by how many CTAs are to fit on an SM.'],
  [/^cluster/, 'Clusters that are resident at once, by their size. The last size with any is the largest.'],
  [/handover/, 'The time of each trial.'],
  [/^instruction_l\d+\.line_size/, 'Latency is low where a block of code came with the fetched one.'],
  [/^constant_l15\.sets/, 'The set wraps around within each array.'],
  [/throughput_surface|bandwidth\.(read|near)/, 'Each point is one configuration that was tried. The best one, repeated, is the bandwidth.'],
  [/^tma\.multicast|by_(element|sms)/, ''],
  [/(latency|hit_threshold)$/, 'Loads that hit and loads that miss must not overlap.'],
  [/fetch_granularity$/, 'The distance of the addresses that one miss brings in has one value.'],
  [/line_size$/, 'The share of pairs that are evicted apart is 0 below the line size.'],
  [/size_by_carveout$/, 'What remains usable as more of the memory is set aside.'],
  [/\.size$/, 'The share of hits is 1 up to the capacity and falls beyond it.'],
  [/\.sets$/, 'The share of hits of lines in random places, against their number.'],
  [/replacement$/, 'Latencies of a walk that overflows the sets, in order. The pattern of hits tells the policy.'],
  [/partition/, 'The latency of a first load has two levels: the SM that loaded before and the one that reads share a partition, or not.'],
  [/shared_with$/, 'After walks of the rival, misses are as frequent as after the own walk if the cache is shared, else as after an idle rival.'],
  [/per_sm$/, 'Misses are frequent for warps that share an instance.'],
  [/sm_groups$/, 'Pairs of SMs that share an instance find or evict each other\'s lines, others do not.'],
  [/instruction_cache/, 'A staircase with one step for each level. The bars are deciles; they meet on a plateau.'],
  [/^instruction\./, 'A hyperbola that ends at a level: few warps wait for results, many warps wait for the pipeline.'],
  [/dram\.request/, 'A hyperbola that ends at the bandwidth of the memory.'],
  [/bytes_in_flight/, 'A linear start, by Little\'s law, and a roof.'],
  [/throughput|bandwidth/, 'Each point is one configuration that was tried. The best one is the bandwidth.'],
  [/conflict_distance/, 'Accesses at a distance that conflicts take longer; the peaks are regular.'],
  [/conflict_latency/, 'A straight line. Its slope is the cost of one pass.'],
  [/stride_sweep/, 'Latency rises with the predicted passes if both methods agree.'],
  [/^divergence/, 'The value is lowest from whole warps on.'],
  [/^tlb\.matrix/, 'Extra latency over a control, by stride and pages: a staircase in both directions.'],
  [/^tlb\./, 'The distance from miss to miss has one value, the page size. The extra latency has one peak, the penalty.'],
  [/tagging|virtually_tagged/, 'Loads through another address of the same memory: high latencies are misses.'],
];

const readingOf = (name) => readings.find(([pattern]) => pattern.test(name))?.[1] ?? '';

/** The figures of the curve behind a fact. */
function figuresOf(device, fact, shownIn = '') {
  const columns = columnsOf(device, fact);
  if (!columns) return [];
  return panelsOf(columns, { fact, device }).map((panel, index) => plotFigure({
    title: `${fact.evidence}${shownIn}`, height: panel.height,
    caption: `${panel.text}${panel.mark} ${index === 0 ? readingOf(fact.evidence) : ''}`.trim(),
    option: panel.option, numbers: panel.numbers,
  }));
}
