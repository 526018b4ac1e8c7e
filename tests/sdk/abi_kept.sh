#!/bin/sh
# abi_kept.sh DUMP LIBRARY: fails if the types behind the library's entry symbol differ from the dump.
command -v abidiff >/dev/null || { echo "skipped: abidiff (package abigail-tools) is not here"; exit 77; }
abidiff --no-added-syms "$1" "$2" && exit 0
echo "The plugin boundary has changed. An appended field: raise TOMOGRAPH_ABI_MINOR and add a dump of the new minor, made"
echo "with abidw --no-comp-dir-path --no-corpus-path --no-show-locs, beside the old one. Anything else breaks plugins that exist."
exit 1
