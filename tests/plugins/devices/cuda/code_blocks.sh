#!/bin/sh
# code_blocks.sh CUOBJDUMP PLUGIN NVCC_VERSION: fails unless the blocks of the array of code (chase/code_array.cuh), each
# of which begins by reading the clock, lie 128 bytes apart at multiples of 128 bytes: 2048 nodes and the first block of
# the warm-up; the last one ends otherwise. Other code may read the clock twice, 128 bytes apart. Looks at what was built
# for sm_90, where this holds; elsewhere blocks are as long, but may begin amid a line.
case "$3" in
  13.0.*) ;;
  *) echo "the padding was chosen for nvcc 13.0, this is $3: blocks may begin amid a line" && exit 77 ;;
esac
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
    exit (blocks < 2048 * kernels)
  }'
