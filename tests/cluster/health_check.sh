#!/bin/sh
# health_check.sh BIN SOURCES: the health check learns a GPU, passes, and then finds that its L2 has become slow.
set -eu
PATH=$1:$2/packaging/slurm:$PATH
sources=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
# On a busy machine, what takes a second here may take the minute that the health check allows.
mkdir unlimited
printf '#!/bin/sh\nshift 3 # -k SECONDS SECONDS\nexec "$@"\n' >unlimited/timeout
chmod +x unlimited/timeout
PATH=$work/unlimited:$PATH
cp "$sources/plugins/devices/sim/gpus/small.toml" gpu.toml
check() { tomograph-health-check known --device 'sim:small,sim:./gpu.toml?seed=2' --only l2.latency; }

check
[ "$(ls known | wc -l)" -eq 2 ]
check
sed -i 's/^latency = 200/latency = 210/' gpu.toml
if check >said; then echo "a slow GPU passes"; exit 1; fi
[ "$(wc -l <said)" -eq 1 ]
grep -q '^tomograph: sim-gpu-toml-seed-2 differs from known/.*: HIGHER l2.latency' said || { cat said; exit 1; }
rm gpu.toml
if check >said; then echo "a GPU that is gone passes"; exit 1; fi
grep -q '^tomograph: the GPUs cannot be measured: device sim:./gpu.toml cannot be opened' said || { cat said; exit 1; }
