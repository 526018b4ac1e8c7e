"""exporting.py PROGRAM TOPOLOGY [FORMAT...]: prints what exporting a topology costs, by format (all, if none is named):
processor time of all processes together, and that as a multiple of what `show` takes, which reads the topology alike. The
target is one second on an idle machine. Fails only if an export does, since a busy machine takes twice the time."""

import json
import os
import subprocess
import sys


def processor_seconds(command: list[str]) -> float:
    before = os.times()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = os.times()
    return sum(after[2:4]) - sum(before[2:4])


def formats_of(program: str) -> list[str]:
    listed = subprocess.run([program, "list", "exporters", "--json"], check=True, stdout=subprocess.PIPE).stdout
    return [exporter["id"] for exporter in json.loads(listed)["exporters"]]


def main() -> None:
    program, topology, *formats = sys.argv[1:]
    shown = processor_seconds([program, "show", topology])
    print(f"{'show':<14} {shown:5.2f} s")
    for form in formats or formats_of(program):
        seconds = processor_seconds([program, "export", form, topology, "--output", os.devnull])
        print(f"{form:<14} {seconds:5.2f} s, {seconds / shown:4.1f} times show")


if __name__ == "__main__":
    main()
