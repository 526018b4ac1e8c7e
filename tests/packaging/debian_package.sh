#!/usr/bin/env bash
# debian_package.sh BUILD PACKAGES: writes the Debian package to PACKAGES and asks lintian about it.
set -euo pipefail
build=$1 packages=$2
for tool in lintian dpkg-shlibdeps; do
  command -v $tool >/dev/null || { echo "skipped: there is no $tool"; exit 77; }
done
rm -rf "$packages"
cpack --config "$build/CPackConfig.cmake" -G DEB -B "$packages" >"$packages.log" 2>&1 || { cat "$packages.log"; exit 1; }
lintian --fail-on error --tag-display-limit 0 "$packages"/*.deb
