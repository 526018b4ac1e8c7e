"""read_tables.py standard|pandas PROGRAM TOPOLOGY...: exports topologies as csv and jsonl, reads both and compares them
with what tomllib reads from the topologies. Exits with 77 (skipped) where pandas is not installed."""

import csv
import io
import json
import math
import subprocess
import sys
import tomllib

COLUMNS = ["key", "value", "unit", "low", "high", "confidence", "method", "source", "device", "uuid"]
OTHER = {"schema_version", "provenance", "outcomes", "probes"}


def facts_in(table: dict, key: str) -> dict:
    found = {key: table} if "value" in table else {}
    for name, member in table.items():
        if isinstance(member, dict) and name not in ("value", "conditions"):
            found |= facts_in(member, f"{key}.{name}")
    return found


def expected(files: list[str]) -> list[dict]:
    rows = []
    for file in files:
        with open(file, "rb") as stream:
            root = tomllib.load(stream)
        facts = {}
        for name in root.keys() - OTHER:
            facts |= facts_in(root[name], name)
        for key in sorted(facts):
            low, high = facts[key].get("interval", (None, None))
            rows.append(
                {"key": key, "value": facts[key]["value"], "low": low, "high": high}
                | {name: facts[key][name] for name in ("unit", "confidence", "method", "source")}
                | {"device": facts["device.name"]["value"], "uuid": facts.get("device.uuid", {"value": ""})["value"]}
            )
    assert len(rows) > 500
    return rows


def from_field(text: str, like: object) -> object:
    """The value of a CSV field: text as it is, everything else as JSON."""
    if isinstance(like, str):
        return text
    return None if text == "" else json.loads(text)


def check(seen: list[dict], rows: list[dict], what: str) -> None:
    assert len(seen) == len(rows), f"{what}: {len(seen)} lines, {len(rows)} facts"
    for line, row in zip(seen, rows):
        assert line == row, f"{what}: {line} is not {row}"


def read_standard(table: str, lines: str, rows: list[dict]) -> None:
    reader = csv.DictReader(io.StringIO(table, newline=""))
    read = [{name: from_field(line[name], row[name]) for name in row} for line, row in zip(reader, rows, strict=True)]
    assert reader.fieldnames == COLUMNS
    check(read, rows, "csv")
    check([json.loads(line) for line in lines.splitlines()], rows, "jsonl")


def alike(seen: object, right: object) -> bool:
    """Whether two values are equal but for the last digits of numbers, which pandas does not read exactly."""
    if isinstance(right, list):
        return isinstance(seen, list) and len(seen) == len(right) and all(map(alike, seen, right))
    if type(right) in (int, float):
        return math.isclose(seen, right, rel_tol=1e-12)
    return seen == right


def read_pandas(table: str, lines: str, rows: list[dict]) -> None:
    try:
        import pandas
    except ImportError:
        print("skipped: pandas (package python3-pandas) is not here")
        sys.exit(77)
    frame = pandas.read_csv(io.StringIO(table))
    assert list(frame.columns) == COLUMNS and len(frame) == len(rows)
    numbers = pandas.to_numeric(frame.value, errors="coerce")
    for i, row in enumerate(rows):
        if type(row["value"]) in (int, float):
            assert alike(numbers[i], row["value"]), row
    frame = pandas.read_json(io.StringIO(lines), lines=True, precise_float=True)
    assert list(frame.columns) == COLUMNS
    for value, row in zip(frame.value, rows, strict=True):
        assert alike(value, row["value"]), row


def main() -> int:
    reader, program, *files = sys.argv[1:]
    rows = expected(files)
    texts = [
        subprocess.run([program, "export", form, *files], check=True, stdout=subprocess.PIPE).stdout.decode()
        for form in ("csv", "jsonl")
    ]
    (read_pandas if reader == "pandas" else read_standard)(*texts, rows)
    print(f"{len(rows)} facts agree")
    return 0


if __name__ == "__main__":
    sys.exit(main())
