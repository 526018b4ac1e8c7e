#!/bin/sh
# code_blocks.sh CUOBJDUMP PLUGIN: fails unless the blocks of the array of code (chase/code_array.cuh), each of which
# begins by reading the clock, lie 128 bytes apart at multiples of 128 bytes. Looks at what was built for sm_90, where
# this holds; elsewhere blocks are as long, but may begin amid a line.
"$1" -sass "$2" | awk '
  BEGIN { for (i = 0; i < 16; ++i) digit[substr("0123456789abcdef", i + 1, 1)] = i }
  /arch = / { built = ($NF == "sm_90") }
  /Function :/ { wanted = built && /chaseILNS.*PathsE2/ }
  wanted && /CS2R/ {
    split($0, part, "[*]")
    value = 0
    for (i = 1; i <= length(part[2]); ++i) value = 16 * value + digit[substr(part[2], i, 1)]
    if (value == last + 128) value % 128 == 0 ? ++blocks : ++amid
    last = value
  }
  /Function :/ && wanted { ++kernels; last = -1 }
  END {
    if (!kernels) { print "nothing was built for sm_90"; exit 0 }
    printf "%d kernels, %d blocks after another one, %d of them amid a line\n", kernels, blocks + amid, amid
    exit (blocks < 2049 * kernels)
  }'
