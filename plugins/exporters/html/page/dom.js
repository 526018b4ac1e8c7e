// Elements.

const svgNamespace = 'http://www.w3.org/2000/svg';

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return element;
}

/** An HTML element; attributes that begin with "on" are listeners. */
function html(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

/** An SVG element. */
function svg(name, attributes = {}, ...children) {
  return fill(document.createElementNS(svgNamespace, name), attributes, children);
}

/** The value of a CSS variable of the present theme. */
function themeColour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

/** A table with a caption; the first cell of each row is its header. */
function htmlTable(caption, head, rows) {
  return html('div', { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': caption },
    html('table', {},
      html('caption', {}, caption),
      html('thead', {}, html('tr', {}, head.map((text) => html('th', { scope: 'col' }, text)))),
      html('tbody', {}, rows.map(([first, ...others]) =>
        html('tr', {}, html('th', { scope: 'row' }, first), others.map((cell) => html('td', {}, cell)))))));
}

/** Calls `action` when `element` comes near the window, once; at once where nothing can tell. */
function whenNear(element, action) {
  const observer = new IntersectionObserver((entries) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    observer.disconnect();
    action();
  }, { rootMargin: '300px' });
  observer.observe(element);
}
