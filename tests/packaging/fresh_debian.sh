#!/usr/bin/env bash
# fresh_debian.sh PACKAGES: installs the Debian package into a new Debian root, by apt, and uses it there.
set -euo pipefail
packages=$1
[ "$(id -u)" -eq 0 ] || { echo "skipped: a new root needs root"; exit 77; }
command -v mmdebstrap >/dev/null || { echo "skipped: there is no mmdebstrap"; exit 77; }
. /etc/os-release
[ "$ID" = debian ] || { echo "skipped: this is no Debian"; exit 77; }
sources=$(find /etc/apt -name '*.sources' -o -name sources.list | head -n 1)
cat >"$packages/use.sh" <<'SCRIPT'
set -eux
cd /tmp
tomograph list devices
tomograph run --device sim:h200 --only 'l1_data.*' --only l2.latency
tomograph show
tomograph explain l1_data.size topology.toml
tomograph diff topology.toml topology.toml
tomograph export csv topology.toml -o facts.csv
grep -q '^l1_data.size,' facts.csv
SCRIPT
# mmdebstrap passes a file descriptor to a shell that knows only those from 0 to 9. The number is greater if the caller
# left some open, so these are closed.
for file in {3..99}; do eval "exec $file>&-"; done
mmdebstrap --mode=root --variant=apt --format=null \
  --customize-hook="copy-in $packages/use.sh $(echo "$packages"/*.deb) /tmp" \
  --customize-hook='chroot "$1" sh -c "apt-get install -y --no-install-recommends /tmp/*.deb"' \
  --customize-hook='chroot "$1" sh /tmp/use.sh' \
  "$VERSION_CODENAME" /dev/null "$sources"
