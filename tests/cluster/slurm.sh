#!/bin/bash
# slurm.sh BIN SOURCES: a Slurm of four node names on this machine runs the job script and the health check, and finds a
# node by its features. Exits with 77 (skipped) where there is no Slurm, or for a user who may not start one.
set -eu
for program in slurmctld slurmd munged sbatch; do
  command -v $program >/dev/null || { echo "skipped: no $program"; exit 77; }
done
[ "$(id -u)" -eq 0 ] || { echo "skipped: only root may start daemons"; exit 77; }
PATH=$1:$2/packaging/slurm:$PATH
sources=$2
work=$(mktemp -d /tmp/tomograph-slurm.XXXXXX)
chmod 755 "$work"
cd "$work"
daemons=()
trap 'kill "${daemons[@]}" 2>/dev/null; wait; rm -rf "$work"' EXIT
fail() { echo "$*"; tail -n 20 ./*.log ./*.out 2>/dev/null || true; exit 1; }

# until_true SECONDS COMMAND...
until_true() {
  local left=$((10 * $1))
  shift
  until "$@" >/dev/null 2>&1; do
    [ $((left--)) -gt 0 ] || fail "in vain: $*"
    sleep 0.1
  done
}

head -c 1024 /dev/urandom >munge.key
chmod 600 munge.key
munged --force --foreground --key-file="$work/munge.key" --socket="$work/munge.sock" --pid-file="$work/munge.pid" \
  --seed-file="$work/munge.seed" --log-file="$work/munge.log" >munged.out 2>&1 &
daemons+=($!)
host=$(hostname -s)
cat >slurm.conf <<END
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=16817
AuthInfo=socket=$work/munge.sock
CredType=cred/munge
SlurmUser=root
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool.%n
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.%n.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
ReturnToService=2
HealthCheckProgram=$work/health-check
HealthCheckInterval=5
HealthCheckNodeState=IDLE
NodeName=n[1-4] NodeHostname=$host NodeAddr=127.0.0.1 Port=[16821-16824] CPUs=1 Features=ours
PartitionName=all Nodes=ALL Default=YES
END
export SLURM_CONF=$work/slurm.conf
cp "$sources/plugins/devices/sim/gpus/small.toml" gpu.toml
cat >health-check <<END
#!/bin/sh
export PATH=$PATH SLURM_CONF=$SLURM_CONF
exec 9>$work/health-check.lock
flock -n 9 || exit 0 # one at a time: on a busy machine they begin faster than they end
reason=\$(tomograph-health-check $work/known --device "sim:$work/gpu.toml" --only l2.latency) ||
  scontrol update nodename="\${SLURMD_NODENAME:-n1}" state=drain reason="\$reason"
END
chmod +x health-check
mkdir state
until_true 10 test -S munge.sock
slurmctld -D >slurmctld.out 2>&1 &
daemons+=($!)
for node in n1 n2 n3 n4; do
  slurmd -D -N $node >$node.out 2>&1 &
  daemons+=($!)
done
idle() { [ "$(sinfo -h -t idle -o %D)" = 4 ]; }
until_true 30 idle

sbatch --wait -N 4 -o job.out "$sources/packaging/slurm/measure-fleet.sbatch" "$work/fleet" \
  --device 'sim:small?seed=1,sim:small?seed=2,sim:small?seed=3' --only l2.latency >sbatch.out 2>&1 ||
  fail "the job failed"
[ "$(ls fleet/topology.*.toml | wc -l)" -eq 3 ] || fail "topologies are missing"
grep -q 'no GPU is odd' job.out || fail "the job does not judge"

# Features that are set twice are there once, and the node keeps those of others.
SLURMD_NODENAME=n3 tomograph-node-features fleet/topology.*.toml
SLURMD_NODENAME=n3 tomograph-node-features fleet/topology.*.toml
features=$(scontrol show node n3 -o | sed 's/.*AvailableFeatures=\([^ ]*\).*/\1/')
[ "$(tr ',' '\n' <<<"$features" | grep -cx 'ours\|tomograph.device.sms=4')" -eq 2 ] || fail "features: $features"
sbatch --wait --constraint 'tomograph.gpus=3&tomograph.device.sms=4' --wrap 'echo $SLURMD_NODENAME' -o where.out \
  >sbatch.out 2>&1 || fail "no node has the features"
[ "$(cat where.out)" = n3 ] || fail "another node was chosen"

sed -i 's/^latency = 200/latency = 210/' gpu.toml
drained() { sinfo -h -R -o %E | grep -q 'tomograph: .* differs from .*: HIGHER l2.latency'; }
until_true 30 drained
