"""repeated.py TOPOLOGY...: how far runs of one GPU agree. Lists measured facts that not all runs have, discrete ones that
differ, continuous ones that spread by more than 2 % (latencies) or 3 %, and intervals that miss the median of all runs.
Fails if a fact of 0.99 or more comes and goes or is discrete and differs, or if more than one in 100 of its intervals
misses."""
import pathlib
import statistics
import sys
import tomllib

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "neighbours"))
from compare import SURE, facts

MOST_MISSED = 1 - SURE
LATENCY_UNITS = ("cycle", "s")


def is_continuous(fact):
    return "interval" in fact and isinstance(fact["value"], (int, float))


def is_discrete(fact):
    """A list of reals, or one with intervals, is a curve."""
    def whole(value):
        parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        return not isinstance(value, float) and all(map(whole, parts))
    has_intervals = "interval" in fact or "intervals" in fact.get("conditions", {})
    return not has_intervals and whole(fact["value"])


def missed(runs):
    """Of the intervals of one fact: how many do not cover the median of its values."""
    middle = statistics.median(run["value"] for run in runs)
    margin = 1e-12 * abs(middle)
    return sum(not run["interval"][0] - margin <= middle <= run["interval"][1] + margin for run in runs)


def spread(runs):
    values = [run["value"] for run in runs]
    middle = abs(statistics.median(values))
    return (max(values) - min(values)) / middle if middle > 0 else 0


def main(paths):
    runs = []
    for path in paths:
        with open(path, "rb") as file:
            runs.append({key: fact for key, fact in facts(tomllib.load(file)).items() if fact["source"] != "api"})
    intervals = misses = broken = 0
    for key in sorted(set().union(*runs)):
        own = [run[key] for run in runs if key in run]
        sure = min(fact["confidence"] for fact in own) >= SURE
        if len(own) < len(runs):
            print(f"{key}: in {len(own)} of {len(runs)} runs")
            broken += sure
        elif all(map(is_continuous, own)):
            most = 0.02 if own[0]["unit"] in LATENCY_UNITS else 0.03
            if spread(own) > most:
                print(f"{key}: spreads by {100 * spread(own):.1f} %, confidence {own[0]['confidence']:.3f}")
            if missed(own) > 0:
                print(f"{key}: {missed(own)} of {len(own)} intervals miss the median")
            intervals += sure * len(own)
            misses += sure * missed(own)
        elif all(map(is_discrete, own)) and any(fact["value"] != own[0]["value"] for fact in own):
            print(f"{key}: differs")
            broken += sure
    print(f"{len(runs)} runs, {min(map(len, runs))} to {max(map(len, runs))} measured facts; of {intervals} intervals at "
          f"{SURE} or more, {misses} miss the median")
    return broken > 0 or misses > MOST_MISSED * intervals


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit("usage: repeated.py TOPOLOGY TOPOLOGY..., of runs of one GPU")
    sys.exit(main(sys.argv[1:]))
