// The caches that lie inside of an SM or of a group of SMs, as boxes below the drawing.

/** Parts that are one physical cache: the facts *.shared_with name them. */
function sameCaches(device, part) {
  const named = listOf(device, `${part}.shared_with`) ?? [];
  const naming = [...device.facts.values()].filter(({ key, value }) => key.endsWith('.shared_with') && Array.isArray(value) && value.includes(part)).map(({ key }) => partOf(key));
  return [part, ...new Set([...named, ...naming])];
}

/** How many SMs one instance serves: their least and most number. */
function smsOfInstance(device, parts) {
  const groups = parts.map((part) => groupsOf(device, `${part}.sm_groups`)).find(Boolean);
  if (!groups) return [1, 1];
  const sizes = groups.map((group) => group.length);
  return [Math.min(...sizes), Math.max(...sizes)];
}

function instanceBox(device, parts) {
  const titles = [...new Set(parts.map(titleOf))].join(' = ');
  const text = joined(factText(device, `${parts[0]}.reach`) ? `reaches ${factText(device, `${parts[0]}.reach`)}` : factText(device, `${parts[0]}.size`) || factText(device, `${parts[0]}.size_per_sm`), latencyText(device, parts[0]));
  const target = ['size', 'reach', 'size_per_sm'].map((name) => `${parts[0]}.${name}`).find((key) => device.facts.has(key));
  return html('li', {}, html('a', { href: `#${target}` }, titles), html('br'), html('small', {}, text));
}

/** Rows of boxes: what each SM has, then what each larger group shares. */
function insideList(device) {
  const levels = new Map(), seen = new Set();
  for (const { part } of capacitiesOf(device)) {
    if (seen.has(part) || part === 'l2' || part === 'dram') continue;
    const parts = sameCaches(device, part);
    parts.forEach((other) => seen.add(other));
    const [least, most] = smsOfInstance(device, parts);
    const id = most === 1 ? 'Each SM has' : `Each ${least === most ? least : `${least} to ${most}`} SMs share`;
    if (!levels.has(id)) levels.set(id, { most, boxes: [] });
    levels.get(id).boxes.push(instanceBox(device, parts));
  }
  return html('div', { class: 'inside' }, [...levels].sort(([, a], [, b]) => a.most - b.most).map(([title, { boxes }]) =>
    html('div', {}, html('h3', {}, title), html('ul', {}, boxes))));
}
