// Two or more devices side by side: which values differ, as `tomograph diff` judged them.

/** How a key of the other devices compares to the first: "same", "different", "undecided" or "missing", "" for one device. */
function comparisonOf(devices, key) {
  if (devices.length < 2) return '';
  if (devices.some(({ facts }) => !facts.has(key))) return 'missing';
  const verdicts = devices.slice(1).map((device) => device.verdicts[key]).filter(Boolean); // none where it is the same
  if (verdicts.length === 0) return 'same';
  return verdicts.every((verdict) => verdict === 'UNDECIDED') ? 'undecided' : 'different';
}

const comparisonWords = { same: '= same', different: '≠ different', undecided: '≈ undecided', missing: '∅ not in all' };

/** How many times the first device's number the other is: "×1.2", or nothing. */
function ratioText(fact, first) {
  if (!fact || !first || fact === first || !isNumber(fact.value) || !isNumber(first.value) || first.value === 0) return '';
  return fact.value === first.value ? '' : `×${significant(fact.value / first.value, 3)}`;
}
