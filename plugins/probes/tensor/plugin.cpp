#include "tomograph/plugin.hpp"

#include "questions.hpp"
#include "tomograph/literal.hpp"

#ifdef TOMOGRAPH_HAS_KERNELS
#include "executors.hpp"
#endif

namespace tomograph::tensor {

namespace {

#ifdef TOMOGRAPH_HAS_KERNELS
using Kernels = Executors<cuda::KernelExecutor<products_task>, cuda::KernelExecutor<warpgroup_task>>;
#else
using Kernels = Executors<>;
#endif

using declare::per_sm;

/// The facts of one type.
template <Literal type>
inline constexpr std::array facts_of{
    fact_spec(joined<"tensor.", type, ".throughput">, TOMOGRAPH_REAL, "FLOP/cycle", per_sm,
              "Multiplications and additions per cycle by mma.sync, at the best shape, occupancy and ILP"),
    declare::cycles(joined<"tensor.", type, ".latency">, per_sm,
                    "Cycles until the next product can add to a sum, of the largest shape"),
    declare::list(joined<"tensor.", type, ".throughput_by_shape">, "FLOP/cycle", per_sm,
                  "Pairs: shape of the product, multiplications and additions per cycle"),
    declare::list(joined<"tensor.", type, ".saturating_warps_by_ilp">, "1", per_sm,
                  "Pairs: independent products of a warp, fewest warps that reach 95 % of the throughput"),
    fact_spec(joined<"tensor.", type, ".sparse.throughput">, TOMOGRAPH_REAL, "FLOP/cycle", per_sm,
              "The same with a sparse factor; operations with elements that are not stored count")};

template <Type type, Literal name>
struct Probe {
  static constexpr const char* id = joined<"tensor/", name>;
  static constexpr const char* question = joined<"How fast does an SM multiply matrices of ", name, "?">;
  static constexpr double expected_seconds = 0.05;
  static constexpr double time_budget = 20;
  static constexpr std::array needs{optional_need("device.compute_capability")};
  static constexpr auto provides = facts_of<name>;
  static void run(const Session& session) { find_products(session, type, joined<"tensor.", name, ".">); }
};

template <Literal type>
inline constexpr std::array warpgroup_facts_of{
    fact_spec(joined<"tensor.", type, ".warpgroup.throughput">, TOMOGRAPH_REAL, "FLOP/cycle", per_sm,
              "Multiplications and additions per cycle by wgmma from shared memory, at the best shape"),
    declare::cycles(joined<"tensor.", type, ".warpgroup.latency">, per_sm,
                    "Cycles from the start of a product to the end of the wait for it, of the largest shape"),
    declare::list(joined<"tensor.", type, ".warpgroup.throughput_by_shape">, "FLOP/cycle", per_sm,
                  "Pairs: shape of the product, multiplications and additions per cycle")};

template <Type type, Literal name>
struct WarpgroupProbe {
  static constexpr const char* id = joined<"tensor/", name, ".warpgroup">;
  static constexpr const char* question = joined<"How fast do warpgroups multiply matrices of ", name, "?">;
  static constexpr double expected_seconds = 0.02;
  static constexpr double time_budget = 20;
  static constexpr std::array needs{optional_need("device.compute_capability")};
  static constexpr auto provides = warpgroup_facts_of<name>;
  static void run(const Session& session) {
    find_warpgroup_products(session, type, joined<"tensor.", name, ".warpgroup.">);
  }
};

using All =
    Probes<Probe<Type::fp16, "fp16">, Probe<Type::bf16, "bf16">, Probe<Type::tf32, "tf32">, Probe<Type::fp8, "fp8">,
           Probe<Type::int8, "int8">, Probe<Type::fp64, "fp64">, WarpgroupProbe<Type::fp16, "fp16">,
           WarpgroupProbe<Type::bf16, "bf16">, WarpgroupProbe<Type::tf32, "tf32">, WarpgroupProbe<Type::fp8, "fp8">,
           WarpgroupProbe<Type::int8, "int8">>;

}  // namespace

}  // namespace tomograph::tensor

TOMOGRAPH_PLUGIN("tensor", "1.0.0", "Tensor cores: throughput and latency of matrix products", tomograph::tensor::All,
                 tomograph::tensor::Kernels)
