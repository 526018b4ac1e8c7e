#!/usr/bin/env bash
# `tomograph report` is the exporter html with a file of its own: command.sh TOMOGRAPH REPORTS
set -euo pipefail
tomograph=$1
cd "$2"
"$tomograph" report h200.toml
cmp report.html h200.html
"$tomograph" export html h200.toml | cmp - h200.html

cp h200.toml wrong.toml
echo '[broken' >>wrong.toml
status=0
"$tomograph" report wrong.toml -o wrong.html 2>wrong.txt || status=$?
cat wrong.txt
[ "$status" -eq 2 ] && [ ! -e wrong.html ] && grep -q 'wrong.toml' wrong.txt
