"""Does what a chapter of the guide says, literally, in a new folder, and compares what it sees with what is printed.

A block ```console holds commands after "$ " and what they print; the line "..." stands for any lines. What differs from
run to run (times, hashes) is not compared. Commands must succeed, unless "[exit N]" ends what they print. A block ```toml
or ```cpp that begins with a comment line that is a file's name is written into that file. Blocks ```console cuda need a
CUDA compiler, without which they are left out. Exits with 77 (skipped) where the chapter says nothing to do.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILE_NAME = re.compile(r"^(?:#|//) ([\w./-]+)\n")


def chapter_of(guide: str, title: str) -> str:
    begin = guide.index(f"\n## {title}\n") + 1
    end = guide.find("\n## ", begin)
    return guide[begin:] if end < 0 else guide[begin:end]


def comparable(line: str) -> str:
    line = re.sub(r"\d+\.\d+(?= s\b|\s+\d+(?:\s{2}|$))", "T", line)
    line = re.sub(r"\b[0-9a-f]{64}\b", "HASH", line)
    return re.sub(r"\s+", " ", line).strip()


def agrees(expected: list[str], seen: list[str]) -> bool:
    """Whether the lines are those expected, where an expected "..." fits any number of lines."""
    if not expected:
        return not seen
    if expected[0] == "...":
        return any(agrees(expected[1:], seen[at:]) for at in range(len(seen) + 1))
    return bool(seen) and expected[0] == seen[0] and agrees(expected[1:], seen[1:])


class Stranger:
    def __init__(self, home: pathlib.Path, prefix: pathlib.Path, clone: pathlib.Path) -> None:
        self.home = home
        self.broken = 0
        (home / "tomograph").symlink_to(prefix)
        (home / "clone").symlink_to(clone)
        self.environment = {name: os.environ[name] for name in os.environ if not name.startswith(("TOMOGRAPH", "XDG"))}
        self.environment |= {
            "HOME": str(home),
            "PATH": f"{home}/tomograph/bin:{os.environ['PATH']}",
            "CUDA_VISIBLE_DEVICES": "",
        }

    def do(self, command: str, expected: list[str]) -> None:
        exit_code = 0
        if expected and (match := re.fullmatch(r"\[exit (\d+)\]", expected[-1])):
            exit_code = int(match.group(1))
            expected = expected[:-1]
        done = subprocess.run(
            ["bash", "-c", command], cwd=self.home, env=self.environment, text=True, check=False,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )
        seen = done.stdout.replace(str(self.home), "~").splitlines()
        wanted = [comparable(line) for line in expected]
        if done.returncode == exit_code and agrees(wanted, [comparable(line) for line in seen if line.strip()]):
            print(f"as printed: {command}")
            return
        self.broken += 1
        print(f"BROKEN: {command}\n  ends with {done.returncode}, expected {exit_code}; prints")
        print("\n".join(f"  | {line}" for line in seen))
        print("  the guide says")
        print("\n".join(f"  | {line}" for line in expected))

    def follow(self, session: str) -> None:
        for entry in re.split(r"^\$ ", session, flags=re.MULTILINE)[1:]:
            lines = entry.replace("\\\n", "").splitlines()
            self.do(lines[0], [line for line in lines[1:] if line.strip()])


def main() -> int:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--guide", type=pathlib.Path, required=True)
    arguments.add_argument("--chapter", required=True)
    arguments.add_argument("--prefix", type=pathlib.Path, required=True)
    arguments.add_argument("--clone", type=pathlib.Path, required=True)
    arguments.add_argument("--features", default="")
    options = arguments.parse_args()
    chapter = chapter_of(options.guide.read_text(encoding="utf-8"), options.chapter)
    with tempfile.TemporaryDirectory() as folder:
        stranger = Stranger(pathlib.Path(folder).resolve(), options.prefix, options.clone)
        did_something = False
        for kind, needs, text in BLOCK.findall(chapter):
            if kind == "console" and set(needs.split()) <= set(options.features.split()):
                stranger.follow(text)
                did_something = True
            elif kind in ("toml", "cpp") and (name := FILE_NAME.match(text)):
                file = stranger.home / name.group(1)
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text, encoding="utf-8")
    if not did_something:
        print("skipped: nothing to do in this chapter")
        return 77
    return 1 if stranger.broken else 0


if __name__ == "__main__":
    sys.exit(main())
