#include "tomograph/plugin.hpp"

#include "questions.hpp"
#include "tomograph/literal.hpp"

namespace tomograph::instruction_throughput {

namespace {

using declare::per_sm;
using instruction::Type;

/// The facts of one type of instruction.
template <Literal type>
inline constexpr std::array facts_of{
    declare::cycles(joined<"instruction.", type, ".completion_latency">, per_sm,
                    "Cycles until a dependent instruction can start"),
    declare::list(joined<"instruction.", type, ".completion_latency_by_ilp">, "cycle", per_sm,
                  "Pairs: independent instructions, cycles per instruction of one warp"),
    declare::cycles(joined<"instruction.", type, ".issue_latency">, per_sm,
                    "Cycles between instructions of different warps on one SM, with full pipelines, at the best ILP"),
    declare::list(joined<"instruction.", type, ".issue_latency_by_ilp">, "cycle", per_sm,
                  "Pairs: independent instructions, cycles"),
    declare::ratio(joined<"instruction.", type, ".throughput">, per_sm,
                   "Instructions of single threads per cycle, at the best ILP"),
    declare::list(joined<"instruction.", type, ".throughput_by_ilp">, "1", per_sm,
                  "Pairs: independent instructions, instructions of single threads per cycle"),
    declare::count(joined<"instruction.", type, ".ridge_warps">, per_sm,
                   "Fewest warps of dependent instructions that reach 95 % of the peak"),
    declare::list(joined<"instruction.", type, ".ridge_warps_by_ilp">, "1", per_sm,
                  "Pairs: independent instructions, warps")};

template <Type type, Literal name, Literal what>
struct Roofline {
  static constexpr const char* id = joined<"instruction-throughput/", name>;
  static constexpr const char* question = joined<"How fast does an SM execute ", what, ", by occupancy and ILP?">;
  static constexpr double expected_seconds = 0.02;
  static constexpr double time_budget = 20;
  static constexpr std::array needs{need("device.warp_size"), optional_need("device.max_warps_per_sm")};
  static constexpr std::array parameters{parameter("repetitions", TOMOGRAPH_INTEGER, default_repetitions, 2, 1024,
                                                   "Runs on different SMs at each occupancy")};
  static constexpr auto provides = facts_of<name>;
  static void run(const Session& session) { find_roofline(session, type); }
};

using All = Probes<Roofline<Type::fp32_add, "fp32_add", "additions of single precision">,
                   Roofline<Type::fp32_fma, "fp32_fma", "multiply-adds of single precision">,
                   Roofline<Type::int32_add, "int32_add", "integer additions">,
                   Roofline<Type::int32_mad, "int32_mad", "integer multiply-adds">,
                   Roofline<Type::fp64_fma, "fp64_fma", "multiply-adds of double precision">,
                   Roofline<Type::fp16x2_fma, "fp16x2_fma", "pairs of multiply-adds of half precision">,
                   Roofline<Type::special, "special", "special functions of the hardware">,
                   Roofline<Type::special_software, "special_software", "special functions in software">,
                   Roofline<Type::constant_load, "constant_load", "loads of constants">>;

}  // namespace

}  // namespace tomograph::instruction_throughput

TOMOGRAPH_PLUGIN("instruction-throughput", "1.0.0", "Occupancy roofline and pipeline latencies of instructions",
                 tomograph::instruction_throughput::All)
