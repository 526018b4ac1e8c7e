#!/bin/sh
# map_is_right.sh MAP ROOT: every path that the map names in backticks exists below ROOT, and the map names every folder
# of ROOT that holds sources. NAME stands for any name.
map=$1
root=$2
status=0
for path in $(grep -oE '`[A-Za-z_][A-Za-z_./-]*`' "$map" | tr -d '`' | grep / | grep -vE 'NAME|^tomograph/' | sort -u); do
  [ -e "$root/$path" ] || { echo "$path is on the map, but not in the tree"; status=1; }
done
for folder in "$root"/*/; do
  name=$(basename "$folder")
  case $name in build* | install*) continue ;; esac
  grep -qE "\`$name/" "$map" || { echo "$name/ is in the tree, but not on the map"; status=1; }
done
exit $status
