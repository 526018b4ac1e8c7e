// Two or more devices side by side: which values differ.

const boundsOfFact = (fact) => fact.interval ?? [fact.value, fact.value];

/** Whether two facts differ: numbers if their intervals do not overlap, other values if they are not the same. */
function differs(a, b) {
  if (!isNumber(a.value) || !isNumber(b.value)) return JSON.stringify(a.value) !== JSON.stringify(b.value);
  const [[lowA, highA], [lowB, highB]] = [boundsOfFact(a), boundsOfFact(b)];
  return highA < lowB || highB < lowA;
}

/** How a key compares between the devices: "same", "different" or "missing", "" for one device. */
function comparisonOf(devices, key) {
  if (devices.length < 2) return '';
  const facts = devices.map((device) => device.facts.get(key));
  if (facts.some((fact) => !fact)) return 'missing';
  return facts.some((fact) => differs(facts[0], fact)) ? 'different' : 'same';
}

const comparisonWords = { same: '= same', different: '≠ different', missing: '∅ not in all' };

/** How many times the first device's number the other is: "×1.2", or nothing. */
function ratioText(fact, first) {
  if (!fact || !first || fact === first || !isNumber(fact.value) || !isNumber(first.value) || first.value === 0) return '';
  return fact.value === first.value ? '' : `×${significant(fact.value / first.value, 3)}`;
}
