#!/bin/sh
# exported_symbols.sh NM FOLDER: fails unless every plugin in FOLDER exports its entry symbol alone.
nm=$1
folder=$2
status=1
for plugin in "$folder"/*.so; do
  [ -e "$plugin" ] || { echo "no plugin in $folder"; exit 1; }
  symbols=$("$nm" -D --defined-only "$plugin" | awk '{print $3}')
  if [ "$symbols" != tomograph_plugin_entry ]; then
    echo "$plugin exports: $symbols"
    exit 1
  fi
  status=0
done
exit $status
