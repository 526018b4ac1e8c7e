// Figures: a chart of ECharts with its title, its caption and its numbers. A chart is drawn when it comes near.

// The palette of Okabe and Ito, which people with any colour vision can tell apart; yellow comes last, being pale.
const categoryColours = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#56b4e9', '#e69f00', '#8c6bb1', '#7a7a7a'];
// Cividis, from low to high.
const scaleColours = ['#00224e', '#35456c', '#666970', '#948e77', '#c8b866', '#fee838'];

const openCharts = new Map();  // element -> function that makes the option

const themeOption = () => ({
  animation: false,
  color: categoryColours,
  textStyle: { fontFamily: 'system-ui, sans-serif', color: themeColour('text') },
  grid: { left: 12, right: 28, top: 44, bottom: 12, outerBoundsMode: 'same' },
  tooltip: {
    confine: true, backgroundColor: themeColour('panel'), borderColor: themeColour('line'),
    textStyle: { color: themeColour('text'), fontSize: 13 },
  },
});

/** An axis in the theme's colours. `unit` formats the ticks. */
function axis(kind, name, unit, more = {}) {
  const muted = themeColour('muted');
  return {
    type: kind, name, nameLocation: 'middle', nameGap: 28, nameTextStyle: { color: muted },
    axisLine: { lineStyle: { color: muted } }, splitLine: { lineStyle: { color: themeColour('grid') } },
    axisLabel: { color: muted, hideOverlap: true, formatter: (value) => (kind === 'category' ? value : formatTick(value, unit)) },
    ...more,
  };
}

function formatTick(value, unit) {
  if (unit === 'share') return `${significant(value * 100, 3)} %`;
  return formatNumber(value, unit === 'cycle' ? '' : unit);
}

/** The name of an axis with its unit, where ticks do not carry it. */
function axisName(label, unit) {
  return unit === 'cycle' ? `${label} (cycles)` : label;
}

/** A legend of several names, and a grid that leaves room for its lines. */
function legend(names) {
  const lines = Math.ceil(names.reduce((width, name) => width + 46 + 6.2 * name.length, 0) / 520);
  return names.length < 2 ? {} : {
    grid: { ...themeOption().grid, top: 30 + 18 * lines },
    legend: { type: 'plain', top: 4, left: 0, data: names, itemHeight: 9, textStyle: { color: themeColour('text') } },
  };
}

function drawChart(element, makeOption) {
  const chart = echarts.getInstanceByDom(element) ?? echarts.init(element);
  chart.setOption({ ...themeOption(), ...makeOption() }, true);
  openCharts.set(element, makeOption);
  element.dataset.drawn = 'yes';
}

/** Draws all open charts again, in the colours of another theme. */
function redrawCharts() {
  for (const [element, makeOption] of openCharts) drawChart(element, makeOption);
}

function resizeCharts() {
  for (const element of openCharts.keys()) echarts.getInstanceByDom(element)?.resize();
}

/** Frees the charts inside of an element that is about to be closed. */
function closeCharts(parent) {
  for (const element of parent.querySelectorAll('.chart[data-drawn]')) {
    echarts.getInstanceByDom(element)?.dispose();
    openCharts.delete(element);
    delete element.dataset.drawn;
  }
}

const shownRows = 400;

/** The numbers of a figure as a table that opens on demand. */
function numbersOf(title, makeNumbers) {
  const details = html('details', { class: 'numbers' }, html('summary', {}, 'Numbers'));
  details.addEventListener('toggle', () => {
    if (!details.open || details.childElementCount > 1) return;
    const { head, rows } = makeNumbers();
    const left = rows.length - shownRows;
    const caption = left > 0 ? `${title}: the first ${shownRows} of ${rows.length} rows` : title;
    details.append(htmlTable(caption, head, rows.slice(0, shownRows)));
  });
  return details;
}

/**
 * A figure that draws itself when it comes near the window.
 * option: makes ECharts' option; numbers: makes {head, rows} of texts, or null; caption: text for all readers.
 */
function plotFigure({ title, caption, height = 300, option, numbers }) {
  const chart = html('div', { class: 'chart', style: `height:${height}px`, role: 'img', 'aria-label': `${title}. ${caption}` });
  const figure = html('figure', { class: 'plot' },
    html('p', { class: 'figure-title' }, title), chart, html('figcaption', {}, caption), numbers ? numbersOf(title, numbers) : null);
  chart.draw = () => chart.dataset.drawn || drawChart(chart, option);
  whenNear(chart, chart.draw);
  return figure;
}

/** Draws every chart below `parent` now, as before printing. */
function drawAll(parent) {
  for (const chart of parent.querySelectorAll('.chart')) chart.draw?.();
}
