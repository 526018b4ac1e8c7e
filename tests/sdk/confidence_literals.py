"""Fails if a source of plugins or of the SDK writes a confidence as a number, outside of analysis/confidence.hpp.

An assignment to a name that speaks of confidence (confidence, coverage, systematic_error) must not hold a floating-point
literal, and not be an integer by itself; 1 - error is fine.
"""

import pathlib
import re
import sys

ASSIGNED = re.compile(r"\b(\w*(?:confidence|coverage|systematic_error)\w*)\s*(?:[-+*/]?=(?!=)|\{)")
FLOATING = re.compile(r"(?<![\w.])(?:\d+\.\d*|\.\d+|\d+e-?\d+)")
INTEGER = re.compile(r"\s*\d+\s*$")
HOME = "analysis/confidence.hpp"


def expression(text):
    """What is assigned: up to the end of the statement or of the initializer."""
    depth = 0
    for i, character in enumerate(text):
        if character in "([{":
            depth += 1
        elif character in ")]}":
            depth -= 1
        if depth < 0 or (depth == 0 and character in ",;"):
            return text[:i]
    return text


def literals(source):
    """Line numbers and names of confidences that are numbers."""
    code = re.sub(r"//[^\n]*", "", source)
    for match in ASSIGNED.finditer(code):
        value = expression(code[match.end() :])
        if value.strip() == "0":  # nothing claimed yet
            continue
        if FLOATING.search(value) or INTEGER.match(value):
            yield code.count("\n", 0, match.start()) + 1, match.group(1)


def expect(source, found):
    if bool(list(literals(source))) != found:
        sys.exit(f"the test itself is wrong about: {source}")


def check_itself():
    for planted in (
        "fact.confidence = 0.95;",
        ".confidence = agrees\n ? 0.999\n : confidence::low,",
        "constexpr double undecided_confidence = 0.95;",
        "constexpr double coverage{0.99};",
        "found.confidence = std::min(found.confidence, .9);",
        ".confidence = 1,",
        "inline constexpr double systematic_error = 1e-3;",
    ):
        expect(planted, True)
    for harmless in (
        "fact.confidence = confidence::tlb::page_size;",
        "double confidence = 0;",
        ".confidence = 1 - error,\n.share = 0.5",
        "if (confidence == 0.5) return;",
        "// confidence = 0.95",
    ):
        expect(harmless, False)


def main():
    check_itself()
    root = pathlib.Path(sys.argv[1])
    wrong = 0
    for folder in ("plugins", "sdk/source", "sdk/include", "sdk/template"):
        for path in sorted((root / folder).rglob("*.[chi]pp")) + sorted((root / folder).rglob("*.cu*")):
            if path.as_posix().endswith(HOME) or path.name.endswith("_test.cpp"):
                continue
            for line, name in literals(path.read_text()):
                print(f"{path.relative_to(root)}:{line}: {name} is a number; it belongs into {HOME}")
                wrong += 1
    sys.exit(1 if wrong else 0)


main()
