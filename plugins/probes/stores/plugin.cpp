#include "tomograph/plugin.hpp"

#include "questions.hpp"

#ifdef TOMOGRAPH_HAS_KERNELS
#include "executors.hpp"
#endif

namespace tomograph::stores {

namespace {

#ifdef TOMOGRAPH_HAS_KERNELS
using Kernels = Executors<cuda::KernelExecutor<accesses_task>, cuda::KernelExecutor<writes_task>,
                          cuda::KernelExecutor<refills_task>>;
#else
using Kernels = Executors<>;
#endif

struct L1Policy {
  static constexpr const char* id = "stores/l1";
  static constexpr const char* question = "What does a store do to the L1 data cache?";
  static constexpr double expected_seconds = 0.01;
  static constexpr double time_budget = 10;
  static constexpr std::array needs{need("l1_data.line_size"), need("l1_data.hit_threshold")};
  static constexpr std::array provides{fact_spec("l1_data.write_allocates", TOMOGRAPH_BOOLEAN, "", declare::per_sm,
                                                 "Whether a word that was only stored to is in the cache"),
                                       fact_spec("l1_data.write_hit", TOMOGRAPH_TEXT, "", declare::per_sm,
                                                 "What a store does to its line: update, invalidate, invalidate-word")};
  static void run(const Session& session) { find_l1_policy(session); }
};

struct WriteCombining {
  static constexpr const char* id = "stores/combining";
  static constexpr const char* question = "Do stores to one sector leave the SM as one?";
  static constexpr double expected_seconds = 0.02;
  static constexpr double time_budget = 10;
  static constexpr std::array needs{need("device.sm_count")};
  static constexpr std::array provides{fact_spec("l1_data.write_combining", TOMOGRAPH_BOOLEAN, "", declare::per_sm,
                                                 "Whether stores to a sector that follow each other reach L2 as one")};
  static void run(const Session& session) { find_write_combining(session); }
};

struct WriteBack {
  static constexpr const char* id = "stores/l2";
  static constexpr const char* question = "Does L2 keep what is stored until its line is replaced?";
  static constexpr double expected_seconds = 0.02;
  static constexpr double time_budget = 10;
  static constexpr std::array needs{need("l2.nominal_size"), optional_need("dram.free")};
  static constexpr std::array provides{fact_spec("l2.write_back", TOMOGRAPH_BOOLEAN, "", declare::per_device,
                                                 "Whether stored lines are written to memory only when replaced")};
  static void run(const Session& session) { find_write_back(session); }
};

}  // namespace

}  // namespace tomograph::stores

TOMOGRAPH_PLUGIN(
    "stores", "1.0.0", "What stores do to caches",
    tomograph::Probes<tomograph::stores::L1Policy, tomograph::stores::WriteCombining, tomograph::stores::WriteBack>,
    tomograph::stores::Kernels)
