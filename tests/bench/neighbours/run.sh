#!/bin/bash
# run.sh BIN OUT [DEVICE]: measures a GPU alone, alone again, beside a program that streams through half of the memory,
# beside a second Tomograph, and with 1.7 GB of free memory, in at most seven minutes. BIN has `bin/tomograph` and
# `tests/bin/neighbour`, as a build folder; OUT receives topologies, recordings and comparison.txt: facts that
# contradict those of the first run, and facts that are lost.
set -u
build=$1 out=$2 device=${3:-cuda:0}
here=$(dirname "$0")
mkdir -p "$out"
: >"$out/runs.txt"

# measure NAME: one run, ended as by Ctrl-C after 75 s
measure() {
  local begun=$SECONDS
  timeout -s INT -k 10 75 "$build/bin/tomograph" run --device "$device" --output "$out/$1.toml" \
    --record "$out/$1.rec" --json -v >"$out/$1.json.log" 2>"$out/$1.log"
  echo "$1: exit code $?, $((SECONDS - begun)) s" | tee -a "$out/runs.txt"
}

# beside NAME MODE AMOUNT: the same beside a neighbour
beside() {
  "$build/tests/bin/neighbour" "$2" "$3" >"$out/$1.neighbour.log" 2>&1 &
  local neighbour=$!
  sleep 3
  measure "$1"
  kill $neighbour
  wait $neighbour 2>/dev/null
}

nvidia-smi >"$out/nvidia-smi.txt" 2>&1
measure alone
measure again
beside streaming stream 0.5
measure itself &
measure second
wait
beside little fill 1.7
python3 "$here/compare.py" "$out" alone again streaming itself second little | tee "$out/comparison.txt"
