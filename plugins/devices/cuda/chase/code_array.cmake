# Writes the body of the function that follows rings of code (chase/code_array.cuh): one block for each node.
#   BLOCKS  number of blocks
#   OUT     file to write
# PTX has no macros and the C++ preprocessor no arithmetic for the labels to jump to.
set(labels "")
set(body "")
math(EXPR last "${BLOCKS} - 1")
foreach(block RANGE ${last})
  list(APPEND labels "B${block}")
  math(EXPR far "${block} + 8")
  set(far_label "B${far}")
  if(far GREATER last)
    set(far_label "left")
  endif()
  string(APPEND body "TOMOGRAPH_BLOCK(B${block}, ${block}, ${far_label})\n")
endforeach()
list(JOIN labels "," labels)
file(WRITE "${OUT}.new" "\"targets: .branchtargets ${labels};\\n\\tbrx.idx.uni %3, targets;\\n\\t\"\n${body}")
file(COPY_FILE "${OUT}.new" "${OUT}" ONLY_IF_DIFFERENT)
