#!/bin/bash
# node_exporter.sh PROGRAM TOPOLOGY...: node_exporter serves the metrics of a node's GPUs from a file.
set -eu
program=$1
shift
command -v prometheus-node-exporter >/dev/null || { echo "skipped: no prometheus-node-exporter"; exit 77; }
work=$(mktemp -d)
trap 'kill "${exporter:-}" 2>/dev/null || true; rm -rf "$work"' EXIT
# Both were the first GPU of their node.
gpus=()
for topology in "$@"; do
  gpus+=("$work/${#gpus[@]}.toml")
  sed "s/\"cuda:0\"/\"cuda:$((${#gpus[@]} - 1))\"/" "$topology" >"${gpus[-1]}"
done
"$program" export prometheus "${gpus[@]}" -o "$work/tomograph.prom"
socket=127.0.0.1:$((20000 + $$ % 10000))
prometheus-node-exporter --collector.disable-defaults --collector.textfile \
  --collector.textfile.directory="$work" --web.listen-address="$socket" >"$work/log" 2>&1 &
exporter=$!
for _ in $(seq 100); do
  if exec 3<>"/dev/tcp/${socket/:*/}/${socket/*:/}"; then break; fi 2>/dev/null
  sleep 0.1
done
printf 'GET /metrics HTTP/1.0\r\n\r\n' >&3
cat <&3 >"$work/served"
[ "$(grep -c '^tomograph_l2_latency_cycles{' "$work/served")" -eq $# ] || { cat "$work/log" "$work/served"; exit 1; }
grep -q '^node_textfile_scrape_error 0' "$work/served"
