#!/bin/sh
# abi_kept.sh same|grown DUMP LIBRARY: fails if the types behind the library's entry symbol differ from the dump. With
# "grown", structs may have more fields at their ends.
command -v abidiff >/dev/null || { echo "skipped: abidiff (package abigail-tools) is not here"; exit 77; }
report=$(abidiff --leaf-changes-only --no-added-syms "$2" "$3") && exit 0
echo "$report"
appended="data member insertions?:|', at offset [0-9]+ \(in bits\)|type size changed|size of symbol changed|type of variable changed:"
titles="'struct .*' changed:|'const tomograph_plugin tomograph_plugin_entry' was changed"
[ "$1" = grown ] && [ -n "$report" ] && ! echo "$report" | grep "^ " | grep -qvE "$appended|$titles" && exit 0
echo "The plugin boundary has changed. An appended field: raise TOMOGRAPH_ABI_MINOR and add a dump of the new minor, made"
echo "with abidw --no-comp-dir-path --no-corpus-path --no-show-locs, beside the old one. Anything else breaks plugins that exist."
exit 1
