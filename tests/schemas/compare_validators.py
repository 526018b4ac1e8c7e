"""Judges every TOML file of the tree by its schema, with Python's jsonschema and with `tomograph validate`.

Files below a folder called "invalid" must be refused by both, all others accepted by both. Exits with 77
(skipped) where Python lacks what it needs.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys

try:
    import jsonschema
    import tomllib
except ImportError as missing:
    print(f"skipped: Python has no module {missing.name} (Debian: python3-jsonschema, Python 3.11 or later)")
    sys.exit(77)


def toml_files(tree: pathlib.Path, build: pathlib.Path) -> list[pathlib.Path]:
    """All TOML files of the sources: no build trees, no hidden folders."""
    found = []
    for path in sorted(tree.rglob("*.toml")):
        parts = path.relative_to(tree).parts
        if path.is_relative_to(build) or parts[0].startswith(("build", "install")):
            continue
        if not any(part.startswith(".") for part in parts):
            found.append(path)
    return found


def schema_name(text: str) -> str | None:
    line = re.search(r"^#:schema .*?([a-z-]+)\.schema\.json\s*$", text, re.MULTILINE)
    return line.group(1) if line else None


def foreign_verdict(path: pathlib.Path, schemas: pathlib.Path) -> str | None:
    """None if the file is valid, else what is wrong with it."""
    text = path.read_text(encoding="utf-8")
    name = schema_name(text)
    if name is None:
        return "no #:schema line"
    schema = json.loads((schemas / f"{name}.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft7Validator.check_schema(schema)
    try:
        jsonschema.Draft7Validator(schema).validate(tomllib.loads(text))
    except (tomllib.TOMLDecodeError, jsonschema.ValidationError) as error:
        return str(error).splitlines()[0]
    return None


def our_verdict(path: pathlib.Path, tomograph: str) -> str | None:
    done = subprocess.run([tomograph, "validate", "--json", str(path)], capture_output=True, text=True, check=False)
    verdict = json.loads(done.stdout)[0]
    assert (done.returncode == 0) == verdict["valid"], done
    return None if verdict["valid"] else "; ".join(problem["message"] for problem in verdict["problems"])


def main() -> int:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--tomograph", required=True)
    arguments.add_argument("--tree", type=pathlib.Path, required=True)
    arguments.add_argument("--build", type=pathlib.Path, required=True)
    options = arguments.parse_args()
    files = toml_files(options.tree, options.build)
    wrong = 0
    for path in files:
        should_be_valid = "invalid" not in path.parts
        for who, problem in (
            ("jsonschema", foreign_verdict(path, options.tree / "schemas")),
            ("tomograph validate", our_verdict(path, options.tomograph)),
        ):
            if (problem is None) != should_be_valid:
                wrong += 1
                print(f"{path}: {who}: {problem or 'accepted, though it is invalid'}")
    print(f"{len(files)} files, {wrong} wrong verdicts")
    return 1 if wrong or not files else 0


if __name__ == "__main__":
    sys.exit(main())
