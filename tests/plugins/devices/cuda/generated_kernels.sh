#!/bin/sh
# generated_kernels.sh WRITE_PTX PTXAS CUOBJDUMP KERNEL.toml...
# What the cuda device generates for each kernel is what the description says: it compiles without spills, its loop has
# each load, store and atomic exactly once, of the width and on the path that the description names, and about as many
# instructions as abi/kernel.h counts: a quarter or four more or less, since the compiler merges some and moves others.
write_ptx=$1 ptxas=$2 cuobjdump=$3
shift 3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
wrong=0
for kernel; do
  "$write_ptx" "$kernel" 90 >"$folder/kernel.ptx" || exit 1
  "$ptxas" -arch=sm_90 -v -o "$folder/kernel.cubin" "$folder/kernel.ptx" >"$folder/ptxas.log" 2>&1 || {
    echo "$kernel: ptxas refuses it"
    cat "$folder/ptxas.log"
    exit 1
  }
  grep -q '0 bytes spill stores, 0 bytes spill loads' "$folder/ptxas.log" || {
    echo "$kernel: registers are spilled"
    wrong=1
  }
  "$cuobjdump" --dump-sass "$folder/kernel.cubin" >"$folder/kernel.sass"
  awk -v kernel="$kernel" '
    FNR == NR && /^\/\/ [0-9]+ instructions/ { counted = $2 }
    FNR == NR && /^LOOP:/ { inside = 1 }
    FNR == NR && /@p bra LOOP;/ { inside = 0 }
    FNR == NR {
      if (inside && match($0, /(ld|st|atom)\.global/)) ++expected
      next
    }
    # The loop is what lies between the target of its backward branch and that branch: the one around the fewest
    # instructions that holds all accesses.
    match($0, /\/\*[0-9a-f]+\*\//) && /;/ {
      text = $0
      gsub(/\/\*[^*]*\*\//, "", text)
      sub(/^[ \t]+/, "", text)
      address = substr($0, RSTART + 2, RLENGTH - 4)
      if (text == "") next
      at[address] = ++lines
      line[lines] = text
    }
    END {
      for (i = 1; i <= lines; ++i) {
        if (line[i] !~ /BRA(\.[A-Z]+)* .*0x/) continue
        target = line[i]
        sub(/.*0x/, "", target)
        sub(/[^0-9a-f].*/, "", target)
        while (length(target) < 4) target = "0" target
        if (!(target in at) || at[target] >= i) continue
        found = 0
        for (k = at[target]; k <= i; ++k) if (line[k] ~ /(LDG|STG|ATOMG|ATOM|RED)[.E]/) ++found
        length_of = i - at[target] + 1
        if (found == expected && (!best || length_of < best)) { best = length_of; first = at[target]; last = i }
      }
      if (!best) { print kernel ": no loop with " expected " accesses"; exit 1 }
      difference = best - counted
      print kernel ": " best " instructions in the loop, counted " counted ", accesses " expected
      if (difference < 0) difference = -difference
      if (difference > counted / 4 && difference > 4) {
        for (k = first; k <= last; ++k) print "  " line[k]
        exit 1
      }
    }' "$folder/kernel.ptx" "$folder/kernel.sass" || wrong=1
done
exit $wrong
