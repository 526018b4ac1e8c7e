#include "tomograph/plugin.hpp"

#include "questions.hpp"
#include "tomograph/literal.hpp"

#ifdef TOMOGRAPH_HAS_KERNELS
#include "executors.hpp"
#endif

namespace tomograph::atomics {

namespace {

#ifdef TOMOGRAPH_HAS_KERNELS
using Kernels = Executors<cuda::KernelExecutor<latency_task>, cuda::KernelExecutor<throughput_task>>;
#else
using Kernels = Executors<>;
#endif

using declare::per_device;
using declare::per_sm;

template <Literal where, Literal name, Literal what>
inline constexpr const char* key = joined<"atomics.", where, ".", name, ".", what>;

/// The facts of both spaces. Operations are those of single threads.
template <Literal where, Literal name>
inline constexpr std::array facts_of{
    declare::cycles(key<where, name, "latency">, per_sm, "Cycles until a thread's next atomic can use the result"),
    declare::ratio(key<where, name, "throughput">, per_sm,
                   "Operations per cycle of one SM, each thread on a word of its own, those of a warp side by side"),
    declare::list(key<where, name, "throughput_by_conflict">, "1", per_sm,
                  "Pairs: lanes of a warp on the same word, operations per cycle of one SM")};

/// Those of global memory alone.
template <Literal where, Literal name>
inline constexpr std::array global_facts_of{
    declare::ratio(key<where, name, "scattered.throughput">, per_sm,
                   "Operations per cycle of one SM, each thread on a line of its own"),
    declare::ratio(key<where, name, "total.throughput">, per_device,
                   "Operations per cycle of all SMs together, each thread on a word of its own"),
    declare::list(key<where, name, "hot.throughput_by_bytes">, "1", per_device,
                  "Pairs: bytes of one line that all SMs use, operations per cycle of all SMs together")};

template <Literal where, Literal name>
inline constexpr std::array reduction_of{declare::ratio(key<where, name, "reduction.throughput">, per_sm,
                                                        "The same as throughput, but nothing is returned")};

template <Literal where, Literal name>
inline constexpr std::array global_reduction_of{
    declare::list(key<where, name, "reduction.throughput_by_conflict">, "1", per_sm,
                  "The same as throughput_by_conflict, but nothing is returned"),
    declare::ratio(key<where, name, "reduction.total.throughput">, per_device,
                   "The same as total.throughput, but nothing is returned"),
    declare::list(key<where, name, "reduction.hot.throughput_by_bytes">, "1", per_device,
                  "The same as hot.throughput_by_bytes, but nothing is returned")};

template <Space space, bool has_reduction, Literal where, Literal name>
constexpr auto all_facts_of() {
  if constexpr (space == Space::shared && has_reduction) {
    return concatenated(facts_of<where, name>, reduction_of<where, name>);
  } else if constexpr (space == Space::shared) {
    return facts_of<where, name>;
  } else if constexpr (has_reduction) {
    return concatenated(facts_of<where, name>, global_facts_of<where, name>, reduction_of<where, name>,
                        global_reduction_of<where, name>);
  } else {
    return concatenated(facts_of<where, name>, global_facts_of<where, name>);
  }
}

template <Space space, Literal where, std::size_t operation, Literal name>
struct Probe {
  static_assert(name.view() == operations[operation].name);
  static constexpr const char* id = joined<"atomics/", where, ".", name>;
  static constexpr const char* question = joined<"How fast is the atomic ", name, " in ", where, " memory?">;
  static constexpr double expected_seconds = 0.013;
  static constexpr double time_budget = 20;
  static constexpr std::array needs{optional_need("device.compute_capability")};
  static constexpr auto provides = all_facts_of<space, operations[operation].has_reduction, where, name>();
  static void run(const Session& session) { find_atomic(session, space, operation, key<where, name, "">); }
};

template <std::size_t operation, Literal name>
using Global = Probe<Space::global, "global", operation, name>;
template <std::size_t operation, Literal name>
using Shared = Probe<Space::shared, "shared", operation, name>;

using All = Probes<Global<0, "add_u32">, Global<1, "add_u64">, Global<2, "max_u32">, Global<3, "max_u64">,
                   Global<4, "exch_u32">, Global<5, "exch_u64">, Global<6, "cas_u32">, Global<7, "cas_u64">,
                   Global<8, "add_f32">, Global<9, "add_f64">, Global<10, "add_f16x2">, Shared<0, "add_u32">,
                   Shared<1, "add_u64">, Shared<2, "max_u32">, Shared<3, "max_u64">, Shared<4, "exch_u32">,
                   Shared<5, "exch_u64">, Shared<6, "cas_u32">, Shared<7, "cas_u64">, Shared<8, "add_f32">,
                   Shared<9, "add_f64">, Shared<10, "add_f16x2">>;

}  // namespace

}  // namespace tomograph::atomics

TOMOGRAPH_PLUGIN("atomics", "1.0.0", "Atomics in global and shared memory: latency and throughput, by conflict",
                 tomograph::atomics::All, tomograph::atomics::Kernels)
