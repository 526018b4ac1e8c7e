#!/usr/bin/env bash
# Writes the reports that the browser looks at: make_reports.sh TOMOGRAPH RECORDINGS FOLDER
set -euo pipefail
tomograph=$1 recordings=$2 folder=$3

measure() { # NAME DEVICE [option...]; open questions are no failure here
  local status=0
  "$tomograph" run --device "$2" --output "$folder/$1.toml" "${@:3}" >"$folder/$1.log" 2>&1 || status=$?
  [ "$status" -le 1 ] || { cat "$folder/$1.log" >&2; exit 1; }
}

rm -rf "$folder"
mkdir -p "$folder"
# A GPU's two recordings are replayed one after the other, under one name. Its topology lists the probes of the first.
for gpu in h200 h100; do
  cp "$recordings/$gpu.rec" "$folder/$gpu.rec"
  mapfile -t first < <(sed -n 's/^\[probes\."\(.*\)"\]$/--only=\1/p' "$recordings/$gpu.toml")
  measure $gpu "replay:$folder/$gpu.rec" "${first[@]}"
  cp "$recordings/later/$gpu.rec" "$folder/$gpu.rec"
  measure $gpu "replay:$folder/$gpu.rec" --resume
done
measure few sim:small --only 'l1_data.size'
measure node sim:node --only 'link.bandwidth.copy' --only host.latency
sed '/^\[l2\.nominal_size\]$/,/^$/d' "$folder/few.toml" >"$folder/bare.toml" # without evidence beside, without L2
"$tomograph" report "$folder/h200.toml" -o "$folder/h200.html"
"$tomograph" report "$folder/h200.toml" "$folder/h100.toml" -o "$folder/two.html"
"$tomograph" report gallery:nvidia-h100-80gb-hbm3 -o "$folder/map.html"
"$tomograph" report "$folder/few.toml" "$folder/bare.toml" -o "$folder/few.html"
"$tomograph" report "$folder/node.toml" -o "$folder/node.html"
cat >"$folder/misses.toml" <<'END'
name = "misses"
ctas = 1056
warps_per_cta = 8
ctas_per_sm = 8
miss_bytes = 128
llc_miss_ratio = 0.5
[[interval]]
instructions = 21
stall = 230
read_misses = 32
END
"$tomograph" predict "$folder/misses.toml" --topology gallery:nvidia-h200 --sweep dram.bandwidth.gather=0.125x..2x \
  --report "$folder/sweep.html" >"$folder/sweep.txt"
"$tomograph" report "$recordings/../schemas/examples/fleet.toml" -o "$folder/fleet.html"
