#!/usr/bin/env bash
# Writes the reports that the browser looks at: make_reports.sh TOMOGRAPH RECORDINGS FOLDER
set -euo pipefail
tomograph=$1 recordings=$2 folder=$3

measure() { # NAME DEVICE [option...]; open questions are no failure here
  local status=0
  "$tomograph" run --device "$2" --output "$folder/$1.toml" "${@:3}" >"$folder/$1.log" 2>&1 || status=$?
  [ "$status" -le 1 ] || { cat "$folder/$1.log" >&2; exit 1; }
}

describe() { # FILE: writes a topology with the facts of standard input, each "KEY VALUE UNIT [INTERVAL]"
  mkdir -p "$(dirname "$1")"
  cat >"$1" <<'END'
schema_version = 2
provenance.plugins = []
provenance.started = "2026-01-01T00:00:00Z"
provenance.device.name = "sim:described"
provenance.tool = { name = "tomograph", version = "0", revision = "r" }
provenance.findings = [{ kind = "throttled", reasons = ["power"], probes = [] }]
END
  while read -r key value unit interval; do
    printf '[%s]\nvalue = %s\nunit = "%s"\n' "$key" "$value" "$unit" >>"$1"
    printf 'source = "measured"\nmethod = "m"\nprobe = "x/y"\nscope = "device"\nconfidence = 0.995\nsamples = 3\n' >>"$1"
    [ -z "$interval" ] || printf 'interval = %s\n' "$interval" >>"$1"
  done
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
describe "$folder/A/topology.toml" <<'END'
l1_data.latency 100.0 cycle [99.9,100.1]
l2.latency 100.0 cycle [90.0,110.0]
dram.latency 100.0 cycle [99.9,100.1]
END
describe "$folder/B/topology.toml" <<'END'
l1_data.latency 101.0 cycle [100.9,101.1]
l2.latency 105.0 cycle [95.0,115.0]
dram.latency 103.0 cycle [102.9,103.1]
END
# Any value is valid under any key.
describe "$folder/odd.toml" <<'END'
device.sm_count 1 1
device.warp_size 64 1
l1_data.size 1024 B
l1_data.sm_groups "a"
l1_data.shared_with 1
texture.sm_groups [1,2]
l2.partition.of_sm "x"
noc.bandwidth_by_group "ab"
sm.map 3
END
"$tomograph" report "$folder/A/topology.toml" "$folder/B/topology.toml" -o "$folder/pair.html"
"$tomograph" report "$folder/odd.toml" -o "$folder/odd.html"
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
