#!/bin/sh
# counted_instructions.sh CUOBJDUMP PLUGIN
# The counted instruction is what runs: the long body of each kernel that times instructions has exactly as many more
# machine instructions of its type than the short body as the device counts, and hardly more of others: a few, since
# the compiler prepares the operands of both a little differently. Prints one row per kernel.
"$1" --dump-sass "$2" | awk '
/^[ \t]*(code for|arch =)/ { arch = $NF }
/Function :/ {
  kernel = ""
  if (match($0, /chainsINS[0-9]*_[0-9]+[A-Za-z0-9]+ELi[124]ELb[01]/)) {
    kernel = substr($0, RSTART, RLENGTH)
    sub(/^chainsINS[0-9]*_[0-9]+/, "", kernel)
  } else if (match($0, /divergeILb[01]/)) {
    kernel = "Branches" substr($0, RSTART + 8, 3)
  }
  if (kernel != "") {
    body = substr(kernel, length(kernel))
    sub(/E?Lb[01]$/, "", kernel)
    sub(/ELi/, " ilp ", kernel)
    kernels[arch " " kernel]
  }
}
/^[ \t]*\/\*[0-9a-f]+\*\/[ \t]+[@A-Z]/ && kernel != "" {
  opcode = $2 ~ /^@/ ? $3 : $2
  sub(/\..*/, "", opcode)
  sub(/;/, "", opcode)
  ++count[arch " " kernel, opcode, body]
  if (opcode != "NOP") ++all[arch " " kernel, body]
}
END {
  split("Fp32Add FADD 128 Fp32Fma FFMA 128 Int32Add IADD3 128 Int32Mad IMAD 128 Fp64Fma DFMA 128 Fp16x2Fma HFMA2 128 " \
        "Special MUFU 128 Branches FFMA 128", table, " ")
  for (i = 1; i in table; i += 3) { opcode_of[table[i]] = table[i + 1]; length_of[table[i]] = table[i + 2] }
  wrong = 0
  for (name in kernels) {
    split(name, part, " ")
    type = part[2]
    if (!(type in opcode_of)) continue
    more = count[name, opcode_of[type], 1] - count[name, opcode_of[type], 0]
    others = all[name, 1] - all[name, 0] - more
    print name ": " more " more " opcode_of[type] ", expected " length_of[type] ", and " others " others"
    if (more != length_of[type] || others > 8 || others < -8) wrong = 1
    ++checked
  }
  if (checked < 22) { print "expected 22 kernels, found " checked + 0; wrong = 1 }
  exit wrong
}'
