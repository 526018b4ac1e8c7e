"""compare.py FOLDER CLEAN NAME...: facts that runs beside other programs contradict or lack, of those that a run alone
published at 0.99 or more. Reads NAME.json.log, what `tomograph run --json` printed, and runs.txt."""
import json
import pathlib
import sys

SURE = 0.99
CURVE_TOLERANCE = 0.05  # repeated curves of an idle H200 agree within it
TOLERANCES = {"cycle": 0.02, "B/cycle": 0.03, "FLOP/cycle": 0.03, "B/s": 0.03}  # runs of a clean GPU agree within them, by unit


def topology(path):
    """The JSON document in front of the summary."""
    return json.JSONDecoder().raw_decode(path.read_text())[0]


def facts(table, key=()):
    """All facts by key: tables with a value and a confidence, at any depth."""
    found = {}
    if not isinstance(table, dict):
        return found
    if "value" in table and "confidence" in table:
        found[".".join(key)] = table
    for name, inner in table.items():
        if name not in ("value", "conditions", "outcomes", "probes", "provenance"):
            found.update(facts(inner, (*key, name)))
    return found


def numbers(value):
    if isinstance(value, dict):
        value = [value[name] for name in sorted(value)]
    if isinstance(value, list):
        return [number for part in value for number in numbers(part)]
    return [value]


def close(a, b):
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return abs(a - b) <= CURVE_TOLERANCE * max(abs(a), abs(b))
    return a == b


def arranged_like(a, b):
    """The value of b. What it lists in any order, as slices of a cache, comes as the nearest of a does."""
    how = b.get("conditions", {}).get("in_any_order")
    one, other = a["value"], b["value"]
    if how == "columns":
        one, other = ([list(column) for column in zip(*rows)] for rows in (one, other))
    if how is None or len(one) != len(other):
        return other
    left, arranged = list(other), []
    shift = (sum(numbers(other)) - sum(numbers(one))) / max(1, len(numbers(one)))  # of all latencies from run to run
    for entry in one:
        nearest = min(left, key=lambda candidate: sum(
            abs(x + shift - y) for x, y in zip(numbers(entry), numbers(candidate))))
        left.remove(nearest)
        arranged.append(nearest)
    return [list(row) for row in zip(*arranged)] if how == "columns" else arranged


def contradict(a, b):
    if "interval" in a and "interval" in b:
        margin = TOLERANCES.get(a["unit"], 0) * max(map(abs, a["interval"] + b["interval"]))
        return a["interval"][1] + margin < b["interval"][0] or b["interval"][1] + margin < a["interval"][0]
    if isinstance(a["value"], (list, dict)):
        one, other = numbers(a["value"]), numbers(arranged_like(a, b))
        return len(one) != len(other) or not all(map(close, one, other))
    return a["value"] != b["value"]


def short(value):
    text = json.dumps(value)
    return text if len(text) < 80 else text[:77] + "..."


def main(folder, clean, *names):
    folder = pathlib.Path(folder)
    print((folder / "runs.txt").read_text(), end="")
    before = {key: fact for key, fact in facts(topology(folder / f"{clean}.json.log")).items()
              if fact["source"] != "api" and fact["confidence"] >= SURE}
    for name in names:
        try:
            document = topology(folder / f"{name}.json.log")
        except (OSError, ValueError) as error:
            print(f"{name}: no topology: {error}")
            continue
        after = facts(document)
        wrong = [key for key in before if key in after and after[key]["confidence"] >= SURE
                 and not key.endswith("_at_least")  # two bounds may both hold
                 and contradict(before[key], after[key])]
        lost = [key for key in before if key not in after]
        failed = [probe for probe, run in document["probes"].items()
                  if run["status"] in ("failed", "crashed", "timed-out")]
        print(f"{name}: {len(wrong)} of {len(before)} contradict, {len(lost)} lost, {len(failed)} probes failed, "
              f"findings {document['provenance'].get('findings', 'none')}")
        for key in wrong:
            print(f"  contradicts {key}: {short(after[key]['value'])} for {short(before[key]['value'])}")
        for key in lost:
            print(f"  lost {key}: {document['outcomes'].get(key, {}).get('reason', '')}")
        for probe in failed:
            print(f"  failed {probe}: {document['probes'][probe].get('reason', '')}")


if __name__ == "__main__":
    main(*sys.argv[1:])
