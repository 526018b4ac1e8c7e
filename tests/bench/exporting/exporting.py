"""exporting.py PROGRAM TOPOLOGY [FORMAT...]: prints what exporting a topology costs, by format (all, if none is named):
processor time of all processes together, and that as a multiple of what `show` takes, which reads the topology alike. The
target is one second on an idle machine. Fails only if an export does: on a busy machine all take several times longer."""

import json
import os
import resource
import subprocess
import sys


def processor_seconds(command: list[str]) -> float:
    before = of_children()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return of_children() - before


def of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


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
