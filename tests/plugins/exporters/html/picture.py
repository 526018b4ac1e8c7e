"""Renews the picture of the README: picture.py TOMOGRAPH docs/report.png, the first screen of the gallery's H200."""

import pathlib
import subprocess
import sys
import tempfile

from browser import Browser

with tempfile.TemporaryDirectory() as folder, Browser((1250, 880)) as browser:
    page = pathlib.Path(folder) / "report.html"
    subprocess.run([sys.argv[1], "report", "gallery:nvidia-h200", "-o", page], check=True)
    browser.open(page)
    browser.wait("document.documentElement.dataset.ready")
    browser.screenshot(sys.argv[2])
