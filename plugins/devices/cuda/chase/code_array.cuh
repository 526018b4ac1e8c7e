#ifndef TOMOGRAPH_CUDA_CHASE_CODE_ARRAY_CUH
#define TOMOGRAPH_CUDA_CHASE_CODE_ARRAY_CUH

#include <cstdint>

#include "cuda/chase/kernels.hpp"

/// Instruction memory: an array of identical blocks of code, each of which is a node. Executing a ring's blocks follows
/// the ring. This loads instructions only, apart from one constant per lap.
namespace tomograph::cuda {

namespace {

/// A block records the clock and its number, if loads are timed, and continues with the eighth block after it or with
/// the next one. On sm_90 a block is eight instructions, 128 bytes:
///   CS2R, IADD3, MOV, ISETP, @timed STS.64, @end BREAK, @end BRA, @far BRA
#define TOMOGRAPH_BLOCK(LABEL, NUMBER, FAR)                                                  \
#LABEL ":\n\tmov.u64 now, %%clock64;\n\tcvt.u32.u64 low, now;\n\tmov.u32 number, " #NUMBER \
         ";\n\t"                                                                             \
         "add.u32 %0, %0, 8;\n\t@timed st.shared.v2.u32 [%0+-8], {low, number};\n\t"         \
         "setp.eq.u32 end, %0, %2;\n\t@end bra.uni left;\n\t@far bra.uni " #FAR ";\n\t"

/// Instructions without effect: a comparison that is false, and stores that are left out. Their number makes blocks
/// begin at multiples of 128 bytes with nvcc 13. It depends on all code before: look again (code_blocks.sh) when that
/// changes.
#define TOMOGRAPH_STORE(OFFSET) "@end st.shared.u32 [%0+" #OFFSET "], %4;\n\t"
#define TOMOGRAPH_PADDING                                                                                    \
  "setp.eq.u32 end, %4, 0;\n\t" TOMOGRAPH_STORE(0) TOMOGRAPH_STORE(4) TOMOGRAPH_STORE(8) TOMOGRAPH_STORE(12) \
      TOMOGRAPH_STORE(16) TOMOGRAPH_STORE(20) TOMOGRAPH_STORE(24) TOMOGRAPH_STORE(28)

/// Executes blocks from number `block` on, one for every 8 bytes from `slot` to `end`, which are addresses in shared
/// memory. If `timed`, each block writes clock and number to its slot. Returns the clock before the first block. Never
/// inlined, so that all callers execute the same blocks.
__device__ __noinline__ std::uint32_t follow_code(std::uint32_t slot, std::uint32_t end, std::uint32_t block,
                                                  std::uint32_t step, std::uint32_t timed) {
  std::uint32_t begin;
  asm volatile(
      "{\n\t.reg .pred end, timed, far;\n\t.reg .u64 now;\n\t.reg .u32 low, number;\n\t"
      "setp.ne.u32 timed, %5, 0;\n\tsetp.eq.u32 far, %4, 8;\n\t" TOMOGRAPH_PADDING
      "mov.u64 now, %%clock64;\n\tcvt.u32.u64 %1, now;\n\t"
#include "code_array.inc"
      "left:\n\t}"
      : "+r"(slot), "=&r"(begin)
      : "r"(end), "r"(block), "r"(step), "r"(timed)
      : "memory");
  return begin;
}

#undef TOMOGRAPH_PADDING
#undef TOMOGRAPH_STORE
#undef TOMOGRAPH_BLOCK

/// Follows the ring of a phase, whose node 0 is block `start`, lap by lap. Slots of timed loads are like those of other
/// paths, except that they hold the node that was reached, not the one after it.
template <bool timed>
__device__ __forceinline__ void follow_code_ring(const CodeRing& ring, std::uint32_t start, std::uint64_t loads,
                                                 std::uint64_t* slots) {
  std::uint32_t first = ring.first;
  auto slot = static_cast<std::uint32_t>(__cvta_generic_to_shared(slots));
  while (loads != 0) {
    const std::uint32_t left = ring.nodes - first;
    const std::uint32_t lap = loads < left ? static_cast<std::uint32_t>(loads) : left;
    std::uint32_t before = follow_code(slot, slot + 8 * lap, start + first * ring.step, ring.step, timed ? 1 : 0);
    if constexpr (timed) {
      for (std::uint32_t i = 0; i < lap; ++i) {
        const auto now = static_cast<std::uint32_t>(slots[i]);
        slots[i] = (slots[i] >> 32 << 32) | (now - before);
        before = now;
      }
      slots += lap;
      slot += 8 * lap;
    }
    loads -= lap;
    first = 0;
  }
}

}  // namespace

}  // namespace tomograph::cuda

#endif
