#!/usr/bin/env bash
# The checked-in bundle is what npm's packages give: rebuilt_bundle.sh ECHARTS FOLDER. Exits with 77 where npm cannot run.
set -euo pipefail
command -v npm >/dev/null || { echo "skipped: npm is missing"; exit 77; }
mkdir -p "$2"
npm ping >"$2/ping.log" 2>&1 || { echo "skipped: npm does not reach its registry"; exit 77; }
"$1/rebuild.sh" "$2" "$2/echarts.min.js"
cmp "$2/echarts.min.js" "$1/echarts.min.js"
! grep -q '"resolved"' "$1/package-lock.json"
