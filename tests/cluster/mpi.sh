#!/bin/bash
# mpi.sh CASE MPIRUN BIN SOURCES [KILLS]: one promise of tomograph-fleet, with eight ranks on simulated GPUs.
set -eu
case=$1
mpirun=$2
PATH=$3:$PATH
sources=$4
kills=${5:-3}
plugins=$(cd "$3/../lib/tomograph/plugins" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 CUDA_VISIBLE_DEVICES=

sed 's/^latency = 200/latency = 208/; s/^far_latency = 280/far_latency = 291/' \
  "$sources/plugins/devices/sim/gpus/small.toml" >slow.toml
cp "$sources/plugins/devices/sim/gpus/small.toml" .
gpus="sim:./slow.toml?seed=8"
for seed in 1 2 3 4 5 6 7; do gpus="$gpus,sim:./small.toml?seed=$seed"; done

# Open MPI alone has and needs the option.
"$mpirun" --version | grep -qE 'Open MPI|OpenRTE' && oversubscribe=--oversubscribe || oversubscribe=
facts=l2.latency
# The launcher of Open MPI 4.1.4 may wait for ever for ranks that were killed while they began.
fleet() { timeout -k 5 300 "$mpirun" -n 8 $oversubscribe tomograph-fleet --device "$gpus" --only "$facts" "$@"; }
fail() { echo "$*"; cat out err 2>/dev/null || true; exit 1; }

same_bytes() {
  local code=0
  fleet >out 2>err || code=$?
  [ $code -eq 1 ] || fail "exit code $code"
  [ "$(ls topology.*.toml | wc -l)" -eq 8 ] || fail "topologies are missing"
  grep -q 'slow.toml.* is odd: l2.latency' out || fail "the slow GPU is not named"
  [ "$(grep -c 'is odd' out)" -eq 1 ] || fail "another GPU is named"
  tomograph fleet topology.*.toml -o merged.toml >/dev/null || true
  cmp fleet.toml merged.toml || fail "the merger writes something else"
  gpus="$gpus,sim:nope"
  rm topology.sim-small-toml-seed-3.toml
  code=0
  fleet --resume >out 2>err || code=$?
  [ "$(grep -c '^tomograph-fleet: \[' err)" -eq 1 ] || fail "--resume measured more than the missing"
  grep -q 'sim:nope was not measured: .*there is no simulated GPU' err || fail "a GPU that fails is not told"
}

# The ranks of a job and the programs that measure for them, below launchers of any kind.
processes_of() {
  local child
  for child in $(pgrep -P "$1"); do
    case $(cat "/proc/$child/comm" 2>/dev/null) in tomograph*) echo "$child" ;; esac
    processes_of "$child"
  done
}

# Kills a rank or a measurement at a random time; whatever is there is valid, and --resume completes it.
survives_kills() {
  facts='l2.latency*' # takes long enough to be killed amid it
  RANDOM=18
  local killed=0 job processes
  while [ "$killed" -lt "$kills" ]; do
    fleet --resume >out 2>err &
    job=$!
    sleep "$((RANDOM % 2)).$((2 + RANDOM % 8))"
    processes=($(processes_of "$job"))
    if [ ${#processes[@]} -gt 0 ] && kill -9 "${processes[RANDOM % ${#processes[@]}]}" 2>/dev/null; then
      killed=$((killed + 1))
    fi
    wait "$job" || true
    # What rank 0 told to have kept is there.
    while read -r topology; do
      [ -e "$topology" ] || fail "$topology had arrived and is lost"
    done < <(sed -n 's/^tomograph-fleet: \[.* //p' err)
    for topology in topology.*.toml; do
      [ ! -e "$topology" ] || tomograph validate "$topology" >validated || fail "$topology is left invalid"
    done
    [ $((RANDOM % 3)) -ne 0 ] || rm -f topology.*.toml
  done
  fleet --resume >out 2>err || true
  [ "$(ls topology.*.toml | wc -l)" -eq 8 ] || fail "--resume does not complete"
  grep -q '^written: fleet.toml' out || fail "there is no fleet"
  echo "$killed processes were killed"
}

bad_usage() {
  local code=0
  fleet --only 'l2.latenci' >out 2>err || code=$?
  [ $code -eq 2 ] || fail "exit code $code"
  [ "$(grep -c 'did you mean' err)" -eq 1 ] || fail "the mistake is not told once"
  [ ! -e fleet.toml ] || fail "something was written"
  for option in '--record a.rec' '--evidence a.json' --json --verbose '--fleet small.toml'; do
    code=0
    # shellcheck disable=SC2086
    fleet $option >out 2>err || code=$?
    [ $code -eq 2 ] || fail "exit code $code with $option"
    grep -q -e "${option% *}" err || fail "$option is not named"
  done
  cmp small.toml "$sources/plugins/devices/sim/gpus/small.toml" || fail "a GPU's description was overwritten"
}

# Ranks end and tell why, whatever keeps them from measuring.
tells_why() {
  local code=0
  gpus=sim:nope
  fleet >out 2>err || code=$?
  [ $code -eq 1 ] || fail "exit code $code without a GPU"
  grep -q 'no GPU was measured' err || fail "that no GPU was measured is not told"
  mkdir bin
  ln "$(command -v tomograph-fleet)" bin/ || cp "$(command -v tomograph-fleet)" bin/
  code=0
  gpus='sim:./small.toml,sim:./slow.toml'
  PATH=$work/bin:$PATH TOMOGRAPH_PLUGIN_PATH=$plugins fleet >out 2>err || code=$?
  [ $code -eq 1 ] || fail "exit code $code without a program that measures"
  [ "$(grep -c 'was not measured: ended with exit code 127' err)" -eq 2 ] || fail "an exit code is not told"
  code=0
  gpus=sim:nope0
  for i in $(seq 1 60); do gpus="$gpus,sim:nope$i"; done
  timeout -k 5 300 "$mpirun" -n 2 $oversubscribe bash -c 'ulimit -n 64; exec tomograph-fleet "$@"' - \
    --device "$gpus" >out 2>err || code=$?
  [ $code -eq 1 ] || fail "exit code $code with few file descriptors"
  grep -q 'was not measured: .*Too many open files' err || fail "what kept a rank from measuring is not told"
}

$case
