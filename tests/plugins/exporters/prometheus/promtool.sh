#!/bin/sh
# promtool.sh PROGRAM TOPOLOGY...: fails if promtool finds fault with the metrics, be it style alone.
program=$1
shift
command -v promtool >/dev/null || { echo "skipped: promtool (package prometheus) is not here"; exit 77; }
metrics=$("$program" export prometheus "$@") || exit 1
complaints=$(printf '%s\n' "$metrics" | promtool check metrics 2>&1) && [ -z "$complaints" ] && exit 0
echo "$complaints"
exit 1
