#ifndef TOMOGRAPH_TENSOR_WARPGROUP_PRODUCTS_CUH
#define TOMOGRAPH_TENSOR_WARPGROUP_PRODUCTS_CUH

#include <cstdint>

/// One `wgmma.mma_async` of each warpgroup form. `WarpgroupProduct<n>::add` is the instruction of warpgroup_forms[n].
/// Its factors lie in shared memory, which 64-bit descriptors tell.
namespace tomograph::tensor {

template <int form>
struct WarpgroupProduct;

#define TOMOGRAPH_NAMES_32                                \
  "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15" \
  ","                                                     \
  "%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31"
#define TOMOGRAPH_NAMES_64                                          \
  TOMOGRAPH_NAMES_32                                                \
  ","                                                               \
  "%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47" \
  ","                                                               \
  "%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63"
#define TOMOGRAPH_NAMES_128                                                     \
  TOMOGRAPH_NAMES_64                                                            \
  ","                                                                           \
  "%64,%65,%66,%67,%68,%69,%70,%71,%72,%73,%74,%75,%76,%77,%78,%79"             \
  ","                                                                           \
  "%80,%81,%82,%83,%84,%85,%86,%87,%88,%89,%90,%91,%92,%93,%94,%95"             \
  ","                                                                           \
  "%96,%97,%98,%99,%100,%101,%102,%103,%104,%105,%106,%107,%108,%109,%110,%111" \
  ","                                                                           \
  "%112,%113,%114,%115,%116,%117,%118,%119,%120,%121,%122,%123,%124,%125,%126,%127"

#define TOMOGRAPH_SUMS_4(l, i) "+" l(sum[i]), "+" l(sum[(i) + 1]), "+" l(sum[(i) + 2]), "+" l(sum[(i) + 3])
#define TOMOGRAPH_SUMS_16(l, i) \
  TOMOGRAPH_SUMS_4(l, i), TOMOGRAPH_SUMS_4(l, (i) + 4), TOMOGRAPH_SUMS_4(l, (i) + 8), TOMOGRAPH_SUMS_4(l, (i) + 12)
#define TOMOGRAPH_SUMS_32(l, i) TOMOGRAPH_SUMS_16(l, i), TOMOGRAPH_SUMS_16(l, (i) + 16)
#define TOMOGRAPH_SUMS_64(l, i) TOMOGRAPH_SUMS_32(l, i), TOMOGRAPH_SUMS_32(l, (i) + 32)
#define TOMOGRAPH_SUMS_128(l, i) TOMOGRAPH_SUMS_64(l, i), TOMOGRAPH_SUMS_64(l, (i) + 64)

// `first` and `second` are the names of the operands behind `count` sums.
#define TOMOGRAPH_WARPGROUP(form, Sum, l, count, first, second, instruction, modifiers)                             \
  template <>                                                                                                       \
  struct WarpgroupProduct<form> {                                                                                   \
    Sum sum[count];                                                                                                 \
    __device__ __forceinline__ void add(std::uint64_t a, std::uint64_t b) {                                         \
      asm volatile("wgmma.mma_async.sync.aligned." instruction " {" TOMOGRAPH_NAMES_##count "}, " first ", " second \
                                                                                            ", 1" modifiers ";"     \
                   : TOMOGRAPH_SUMS_##count(l, 0)                                                                   \
                   : "l"(a), "l"(b));                                                                               \
    }                                                                                                               \
  };
#define TOMOGRAPH_WARPGROUP_SHAPES(form, Sum, l, k, types, modifiers)                       \
  TOMOGRAPH_WARPGROUP(form, Sum, l, 32, "%32", "%33", "m64n64" k "." types, modifiers)      \
  TOMOGRAPH_WARPGROUP(form + 1, Sum, l, 64, "%64", "%65", "m64n128" k "." types, modifiers) \
  TOMOGRAPH_WARPGROUP(form + 2, Sum, l, 128, "%128", "%129", "m64n256" k "." types, modifiers)

TOMOGRAPH_WARPGROUP_SHAPES(0, float, "f", "k16", "f32.f16.f16", ", 1, 1, 0, 0")
TOMOGRAPH_WARPGROUP_SHAPES(3, float, "f", "k16", "f32.bf16.bf16", ", 1, 1, 0, 0")
TOMOGRAPH_WARPGROUP_SHAPES(6, float, "f", "k8", "f32.tf32.tf32", ", 1, 1")
TOMOGRAPH_WARPGROUP_SHAPES(9, float, "f", "k32", "f32.e4m3.e4m3", ", 1, 1")
TOMOGRAPH_WARPGROUP_SHAPES(12, std::int32_t, "r", "k32", "s32.s8.s8", "")

}  // namespace tomograph::tensor

#endif
