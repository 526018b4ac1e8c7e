#!/bin/sh
# constants_have_reasons.sh ROOT: fails on a named constant of the code that measures whose value nothing explains: no
# comment above it or above its group, or behind it. 0, 1, 2 and units explain themselves; times in plugin.cpp are
# estimates.
set -eu
cd "$1"

# Prints each constant without a reason as FILE:LINE: TEXT.
find plugins/probes plugins/models sdk/source -name '*.[ch]pp' ! -name plugin.cpp -o -name '*.cu' -o -name '*.cuh' | sort | xargs awk '
  FNR == 1 { explained = 0 }
  /^ *\/\// { explained = 1; next }
  /^ *(inline |static )*constexpr (double|float|int|long|bool|unsigned|auto|std::u?int[0-9]+_t|std::size_t) [a-z_0-9]+ = / {
    value = $0
    sub(/^[^=]*= /, "", value)
    is_literal = value ~ /^(-|~|std::u?int[0-9]+_t\{|std::size_t\{)?[0-9]/
    is_plain = value ~ /^[0-2](\.0)?;/
    is_unit = $0 ~ / (kilo|mega|giga|kibi|mebi|gibi|mebibyte|[a-z_]*_per_[a-z_]+|[a-z_]*bytes) = /
    if (is_literal && !is_plain && !is_unit && !explained && $0 !~ /\/\//) {
      sub(/^ */, "")
      printf "%s:%d: %s\n", FILENAME, FNR, $0
      found = 1
    }
    next
  }
  { explained = 0 }
  END { exit found }
' || { echo "say what error rate each constant buys, or why it has this value" >&2; exit 1; }
