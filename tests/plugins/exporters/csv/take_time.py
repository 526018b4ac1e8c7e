"""take_time.py PROGRAM TOPOLOGY: fails if an export takes a second or more of processor time, all processes together. That
does not depend on other work on the machine. Prints the elapsed times, too."""

import json
import os
import subprocess
import sys
import time


def main() -> int:
    program, topology = sys.argv[1:]
    listed = json.loads(subprocess.run([program, "list", "exporters", "--json"], check=True, stdout=subprocess.PIPE).stdout)
    formats = [exporter["id"] for exporter in listed["exporters"]]
    assert {"csv", "jsonl", "prometheus", "node-features", "markdown"} <= set(formats)
    slow = 0
    for form in formats:
        before, begun = os.times(), time.monotonic()
        subprocess.run([program, "export", form, topology, "-o", os.devnull], check=True)
        after = os.times()
        seconds = sum(after[2:4]) - sum(before[2:4])
        print(f"{form}: {seconds:.2f} s of processor time, {time.monotonic() - begun:.2f} s elapsed")
        slow += seconds >= 1
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
