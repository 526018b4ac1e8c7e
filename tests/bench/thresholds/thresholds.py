"""Measures what each threshold buys that was "chosen by hand", as its comment says.

    thresholds.py check ROOT                   each such constant has a row in rates.md, and each row its constant
    thresholds.py measure ROOT WORK [--gpus N] [--seed N] [--jobs N] [--only TEXT]
                                               halves and doubles each of them in a copy of ROOT that is built in WORK,
                                               measures simulated GPUs with it, and writes rates.md

What was measured stays in WORK, so that an interrupted run goes on. It needs what a build needs, and CUDA nowhere.
"""

import argparse
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

FOLDERS = ("plugins/probes", "sdk")
CHOSEN = re.compile(r"chosen\s+(?:///?\s*)?by\s+(?:///?\s*)?hand", re.IGNORECASE)
CONSTANT = re.compile(r"^\s*(?:static |inline )*constexpr (?P<type>[\w:]+) (?P<name>\w+) = (?P<value>[^;]+);")
FACTORS = {"halved": 0.5, "as it is": 1.0, "doubled": 2.0}
NOISES = (1, 4)  # times that of an H200
CERTAIN = 0.99

# Families of the bench `accuracy` in which a folder's constants can change facts.
SCOPES = {
    "plugins/probes/cache-sharing": ("cache_sharing", "instruction_sharing", "tlb_groups"),
    "plugins/probes/classical-methods": ("classical_methods",),
    "plugins/probes/constant-cache": ("constant_caches",),
    "plugins/probes/data-cache": ("data_cache",),
    "plugins/probes/instruction-cache": ("instruction_caches",),
    "plugins/probes/memory-spectrum": ("memory_spectrum",),
    "plugins/probes/tlb": ("tlb",),
    "sdk/source/cache": ("data_cache", "private_caches", "constant_caches"),
    "sdk/source/analysis": ("data_cache", "memory_spectrum", "tlb"),
}

ADJUSTED = """#ifndef TOMOGRAPH_ADJUSTED_HPP
#define TOMOGRAPH_ADJUSTED_HPP
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <type_traits>
namespace tomograph_thresholds {
// The value, or what TOMOGRAPH_THRESHOLD=name=factor makes of it. Between 0.5 and 2, the distance from 1 is what counts.
template <class T>
T adjusted(const std::string& name, T value) {
  const char* given = std::getenv("TOMOGRAPH_THRESHOLD");
  const std::string wanted = given == nullptr ? "" : given;
  const auto end = wanted.rfind('=');
  if (end == std::string::npos || wanted.substr(0, end) != name) return value;
  const double factor = std::stod(wanted.substr(end + 1));
  const auto old = static_cast<double>(value);
  const double changed = std::is_integral_v<T> || old <= 0.5 || old >= 2 ? factor * old : 1 + factor * (old - 1);
  return std::is_integral_v<T> ? static_cast<T>(std::max(1.0, std::round(changed))) : static_cast<T>(changed);
}
}  // namespace tomograph_thresholds
#endif
"""


@dataclasses.dataclass(frozen=True)
class Constant:
    path: str
    line: int
    name: str
    value: str

    @property
    def id(self):
        return f"{self.path}:{self.name}"

    @property
    def families(self):
        return next((families for folder, families in SCOPES.items() if self.path.startswith(folder + "/")), ())


def is_comment(line):
    return line.strip().startswith("//")


def comment_of(lines, i):
    """The comment above the group of constants of which line i is one, and that in the line itself."""
    end = i
    while end > 0 and CONSTANT.match(lines[end - 1]):
        end -= 1
    first = end
    while first > 0 and is_comment(lines[first - 1]):
        first -= 1
    return [*range(first, end), i]


def constants_in(path, text):
    lines = text.split("\n")
    for i, line in enumerate(lines):
        found = CONSTANT.match(line)
        if found and CHOSEN.search("\n".join(lines[j] for j in comment_of(lines, i))):
            yield Constant(path, i, found["name"], found["value"])


def sources(root):
    for folder in FOLDERS:
        yield from sorted((root / folder).rglob("*.[ch]pp"))


def constants(root):
    found = []
    for path in sources(root):
        found += constants_in(path.relative_to(root).as_posix(), path.read_text())
    return found


def unnamed(path, text):
    """Lines whose comment speaks of a chosen value that no constant holds."""
    lines = text.split("\n")
    held = {j for constant in constants_in(path, text) for j in comment_of(lines, constant.line)}
    for match in CHOSEN.finditer(text):
        line = text.count("\n", 0, match.start())
        if line not in held:
            yield f"{path}:{line + 1} speaks of a chosen value that no constant holds"


# --- measuring ---


def make_adjustable(line, constant):
    found = CONSTANT.match(line)
    keyword = re.match(r"\s*((?:static |inline )*constexpr)", line)[1]
    local = line.startswith(" ") and "static" not in keyword and "inline" not in keyword
    const = "static const" if local else "static inline const" if "static" in keyword else keyword.replace("constexpr", "const")
    kind = found["type"]
    return re.sub(
        r"(?:static |inline )*constexpr .*?;",
        lambda _: f'{const} {kind} {found["name"]} = ::tomograph_thresholds::adjusted<{kind}>("{constant.id}", {found["value"]});',
        line,
        count=1,
    )


def copy_adjustable(root, work):
    """A copy of the tree in which each constant is read from the environment. Files that stay alike are not written."""
    header = work / "adjusted.hpp"
    replace(header, ADJUSTED.encode())
    chosen = {constant.path: [] for constant in constants(root)}
    for constant in constants(root):
        chosen[constant.path].append(constant)
    for top, folders, files in os.walk(root):
        folders[:] = [folder for folder in folders if not folder.startswith((".", "build"))]
        for file in files:
            path = pathlib.Path(top, file).relative_to(root)
            content = (root / path).read_bytes()
            if path.as_posix() in chosen:
                lines = content.decode().split("\n")
                for constant in chosen[path.as_posix()]:
                    lines[constant.line] = make_adjustable(lines[constant.line], constant)
                content = "\n".join([f'#include "{header}"', *lines]).encode()
            replace(work / "source" / path, content)
            shutil.copymode(root / path, work / "source" / path)
    return work / "source"


def replace(path, content):
    if not path.exists() or path.read_bytes() != content:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def build(copy, work):
    options = [
        "-DTOMOGRAPH_CUDA=OFF",
        "-DBUILD_TESTING=ON",
        "-DTOMOGRAPH_QUICK_BUILD=OFF",
        "-DTOMOGRAPH_UNIT_TESTS=OFF",
        "-DCMAKE_BUILD_TYPE=Release",
    ]
    folder = work / "build"
    subprocess.run(["cmake", "-G", "Ninja", "-S", copy, "-B", folder, *options], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", folder], check=True)
    return folder / "tests" / "bin"


def claims_of(bins, work, options, family, constant, factor, noise):
    claims = work / f"claims-{family}-{constant.replace('/', '_')}-{factor}.jsonl"
    environment = dict(os.environ, TOMOGRAPH_THRESHOLD=f"{constant}={factor}")
    given = {"family": family, "cases": options.gpus, "seed": options.seed, "noise": noise, "jobs": 1, "claims": claims}
    command = [str(bins / "accuracy"), *(f"--{name}={value}" for name, value in given.items())]
    subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    published = [json.loads(line) for line in claims.read_text().splitlines()]
    claims.unlink()
    return published


def measure_one(bins, work, options, family, constant, factor):
    """How many facts are published, how many of them as certain, and how many of these are wrong."""
    published = []
    for noise in NOISES:
        published += claims_of(bins, work, options, family, constant, factor, noise)
    certain = [claim for claim in published if claim["confidence"] >= CERTAIN]
    return [len(published), len(certain), sum(not claim["holds"] for claim in certain)]


class Store:
    """What was measured, by family and constant, kept in a file of JSON lines."""

    def __init__(self, path):
        self.path = path
        self.known = {}
        if path.exists():
            self.known = {tuple(key): counts for key, counts in map(json.loads, path.read_text().splitlines())}

    def add(self, key, counts):
        self.known[key] = counts
        with self.path.open("a") as file:
            file.write(json.dumps([key, counts]) + "\n")


def changes(constant):
    """The factors that change the value: an integer of 1 cannot be halved."""
    return {name: factor for name, factor in FACTORS.items() if factor != 0.5 or constant.value != "1"}


def key_of(constant, family, factor):
    return (constant.id if factor != 1 else "", family, factor)


def tasks_of(chosen, store):
    keys = {
        key_of(constant, family, factor)
        for constant in chosen
        for family in constant.families
        for factor in changes(constant).values()
    }
    return sorted(keys - store.known.keys())


def counts_of(constant, factor, store):
    keys = [key_of(constant, family, factor) for family in constant.families]
    if any(key not in store.known for key in keys):
        return None
    return [sum(column) for column in zip(*(store.known[key] for key in keys))]


# --- the page ---

HEAD = """# What chosen thresholds buy

Printed by `thresholds.py measure`; do not edit.

Each row is a constant whose comment says that it was chosen by hand. {gpus} GPUs of each family of `accuracy` whose facts it can change, from seed {seed} on, were measured with the noise of an H200 and with four times as much, and with the constant halved, as it is, and doubled; between 0.5 and 2, its distance from 1 was. Each cell: facts published, facts published at {certain} or more, and how many of these are wrong.

| constant | value | halved | as it is | doubled |
| --- | --: | --: | --: | --: |
"""


def cell(counts):
    return "" if counts is None else "{}, {}, {}".format(*counts)


ROW = re.compile(r"^\| (?P<id>[\w/.-]+:\w+) \| (?P<value>[^|]+) \|(?P<cells>.*)\|$", re.MULTILINE)


def row(constant, store):
    cells = [cell(counts_of(constant, factor, store) if name in changes(constant) else None) for name, factor in FACTORS.items()]
    return f"| {constant.id} | {constant.value} | " + " | ".join(cells) + " |"


def page(chosen, store, options, old):
    """What is not in the store keeps the row of the old page, which an earlier run wrote."""
    old_rows = {match["id"]: match[0] for match in ROW.finditer(old)}
    text = HEAD.format(gpus=options.gpus, seed=options.seed, certain=CERTAIN)
    for constant in chosen:
        is_known = all(counts_of(constant, factor, store) is not None for factor in changes(constant).values())
        text += (row(constant, store) if is_known else old_rows.get(constant.id, row(constant, store))) + "\n"
    return text


def check(root):
    """Messages about constants without a row, rows without a constant, and values that have changed since."""
    rows = {(row["id"], row["value"].strip()) for row in ROW.finditer((root / "tests/bench/thresholds/rates.md").read_text())}
    found = {(constant.id, constant.value) for constant in constants(root)}
    yield from (f"{name} = {value} was not measured; see tests/bench/thresholds" for name, value in sorted(found - rows))
    yield from (f"rates.md measures {name} = {value}, which is not there" for name, value in sorted(rows - found))
    for path in sources(root):
        yield from unnamed(path.relative_to(root).as_posix(), path.read_text())
    ids = [constant.id for constant in constants(root)]
    yield from (f"{name} occurs twice" for name in sorted(set(ids)) if ids.count(name) > 1)
    yield from (f"{constant.id}: thresholds.py does not say what it can change" for constant in constants(root) if not constant.families)


def check_itself():
    planted = "/// Few. Chosen by\n/// hand.\nconstexpr int few = 2;\nconstexpr double share = 0.1;\n"
    if [constant.name for constant in constants_in("a.cpp", planted)] != ["few", "share"]:
        sys.exit("the test itself does not find constants")
    if list(constants_in("a.cpp", "// Derived.\nconstexpr int few = 2;\n")):
        sys.exit("the test itself finds constants that were derived")
    if not list(unnamed("a.cpp", "// Chosen by hand.\nreturn 2 * x;\n")) or list(unnamed("a.cpp", planted)):
        sys.exit("the test itself does not tell constants from other values")


def measure(root, options):
    work = options.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    bins = build(copy_adjustable(root, work), work)
    chosen = constants(root)
    store = Store(work / f"measured-{options.gpus}-{options.seed}.jsonl")
    tasks = tasks_of([constant for constant in chosen if options.only in constant.id], store)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        waiting = {
            pool.submit(measure_one, bins, work, options, family, constant, factor): (constant, family, factor)
            for constant, family, factor in tasks
        }
        for done, future in enumerate(concurrent.futures.as_completed(waiting), 1):
            store.add(waiting[future], future.result())
            print(f"{done} of {len(tasks)}: {waiting[future]} {future.result()}", flush=True)
    rates = root / "tests/bench/thresholds/rates.md"
    rates.write_text(page(chosen, store, options, rates.read_text()))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("verb", choices=("check", "measure"))
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("work", type=pathlib.Path, nargs="?")
    parser.add_argument("--gpus", type=int, default=20)
    parser.add_argument("--seed", type=int, default=100_000, help="unlike those that constants were chosen with")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    if options.verb == "measure":
        if options.work is None:
            parser.error("measure needs a folder to work in")
        return measure(options.root.resolve(), options)
    check_itself()
    wrong = list(check(options.root))
    print("\n".join(wrong))
    sys.exit(1 if wrong else 0)


main()
