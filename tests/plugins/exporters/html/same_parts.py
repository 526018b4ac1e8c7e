"""same_parts.py ROOT: fails unless the report's parts have the titles and the order of those of `tomograph show`."""

import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
shown = re.findall(r'Part\{"([^"]+)", "([^"]+)"', (root / "host/reporting/parts.cpp").read_text())
page = (root / "plugins/exporters/html/page/report.js").read_text()
table = page[page.index("const knownParts = {") : page.index("\n};\n")]
reported = re.findall(r"'?([a-z0-9_.]+)'?: '([^']+)'", table)
expected = [part for part in shown if part[0] != "device"] + [part for part in shown if part[0] == "device"]
if not shown or reported != expected:
    sys.exit(f"report.js has {reported}, expected {expected}")
