#include "tomograph/session/plugin.hpp"

#include "roofline.hpp"

namespace tomograph::instruction_throughput {

namespace {

constexpr auto real = TOMOGRAPH_REAL;
constexpr auto list = TOMOGRAPH_LIST;
constexpr auto per_sm = TOMOGRAPH_PER_SM;

/// The facts of one type of instruction; `prefix` is a literal.
#define TOMOGRAPH_FACTS_OF(prefix)                                                                                   \
  std::array {                                                                                                       \
    fact_spec(prefix ".completion_latency", real, "cycle", per_sm, "Until a dependent instruction can start"),       \
        fact_spec(prefix ".completion_latency_by_ilp", list, "cycle", per_sm,                                        \
                  "Pairs: independent instructions, cycles per instruction of one warp"),                            \
        fact_spec(prefix ".issue_latency", real, "cycle", per_sm,                                                    \
                  "Between instructions of different warps on one SM, with full pipelines, at the best ILP"),        \
        fact_spec(prefix ".issue_latency_by_ilp", list, "cycle", per_sm, "Pairs: independent instructions, cycles"), \
        fact_spec(prefix ".throughput", real, "1", per_sm, "Threads' instructions per cycle, at the best ILP"),      \
        fact_spec(prefix ".throughput_by_ilp", list, "1", per_sm,                                                    \
                  "Pairs: independent instructions, threads' instructions per cycle"),                               \
        fact_spec(prefix ".ridge_warps", TOMOGRAPH_INTEGER, "1", per_sm,                                             \
                  "Fewest warps of dependent instructions with less than 5 % below the peak"),                       \
        fact_spec(prefix ".ridge_warps_by_ilp", list, "1", per_sm, "Pairs: independent instructions, warps")         \
  }

template <instruction::Type type>
struct Roofline {
  static constexpr double expected_seconds = 0.02;
  static constexpr double time_budget = 20;
  static constexpr std::array needs{need("device.warp_size"), optional_need("device.max_warps_per_sm")};
  static constexpr std::array parameters{parameter("repetitions", TOMOGRAPH_INTEGER, default_repetitions, 2, 1024,
                                                   "Runs on different SMs at each occupancy")};
  static void run(const Session& session) { find_roofline(session, type); }
};

#define TOMOGRAPH_ROOFLINE(Class, type, what)                                                              \
  struct Class : Roofline<instruction::Type::type> {                                                       \
    static constexpr const char* id = "instruction-throughput/" #type;                                     \
    static constexpr const char* question = "How fast does an SM execute " what ", by occupancy and ILP?"; \
    static constexpr auto provides = TOMOGRAPH_FACTS_OF("instruction." #type);                             \
  }

TOMOGRAPH_ROOFLINE(Fp32Add, fp32_add, "additions of single precision");
TOMOGRAPH_ROOFLINE(Fp32Fma, fp32_fma, "multiply-adds of single precision");
TOMOGRAPH_ROOFLINE(Int32Add, int32_add, "integer additions");
TOMOGRAPH_ROOFLINE(Int32Mad, int32_mad, "integer multiply-adds");
TOMOGRAPH_ROOFLINE(Fp64Fma, fp64_fma, "multiply-adds of double precision");
TOMOGRAPH_ROOFLINE(Fp16x2Fma, fp16x2_fma, "pairs of multiply-adds of half precision");
TOMOGRAPH_ROOFLINE(Special, special, "special functions of the hardware");
TOMOGRAPH_ROOFLINE(SpecialSoftware, special_software, "special functions in software");

}  // namespace

}  // namespace tomograph::instruction_throughput

using namespace tomograph::instruction_throughput;

TOMOGRAPH_PLUGIN("instruction-throughput", "1.0.0", "Occupancy roofline and pipeline latencies of instructions",
                 tomograph::Probes<Fp32Add, Fp32Fma, Int32Add, Int32Mad, Fp64Fma, Fp16x2Fma, Special, SpecialSoftware>)
