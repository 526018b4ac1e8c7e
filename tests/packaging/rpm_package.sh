#!/usr/bin/env bash
# rpm_package.sh BUILD PACKAGES: writes the RPM to PACKAGES, compares its files with those of the Debian package, installs
# it into an empty root and measures from there. Debian's libraries are no RPMs, so dependencies do not count.
set -euo pipefail
build=$1 packages=$2
command -v rpmbuild >/dev/null || { echo "skipped: there is no rpmbuild"; exit 77; }
cpack --config "$build/CPackConfig.cmake" -G RPM -B "$packages" >"$packages.log" 2>&1 || { cat "$packages.log"; exit 1; }
files_of_rpm() { rpm -qp --qf '[%{FILEMODES:perms} %{FILENAMES}\n]' "$packages"/*.rpm | sed -n 's/^-[^ ]* //p' | sort; }
files_of_deb() { dpkg-deb --contents "$packages"/*.deb | awk '$1 ~ /^-/ { print substr($6, 2) }' | sort; }
diff <(files_of_deb) <(files_of_rpm)

[ "$(id -u)" -eq 0 ] || { echo "skipped: a new root needs root"; exit 77; }
root=$packages/root
rm -rf "$root"
mkdir "$root"
rpm --root "$root" --nodeps --install "$packages"/*.rpm
rpm --root "$root" --nodeps --verify tomograph
"$root/usr/bin/tomograph" run --device sim:small --only l1_data.line_size --output "$packages/topology.toml"
grep -q '^\[l1_data.line_size\]' "$packages/topology.toml"
