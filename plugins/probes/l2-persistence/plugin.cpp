#include "tomograph/plugin.hpp"

#include "questions.hpp"

#ifdef TOMOGRAPH_HAS_KERNELS
#include "executors.hpp"
#endif

namespace tomograph::l2_persistence {

namespace {

#ifdef TOMOGRAPH_HAS_KERNELS
using Kernels = Executors<cuda::KernelExecutor<loads_task>>;
#else
using Kernels = Executors<>;
#endif

using declare::per_device;

struct Persistence {
  static constexpr const char* id = "l2-persistence/set-aside";
  static constexpr const char* question = "What does setting aside a part of L2 do?";
  static constexpr double expected_seconds = 0.2;
  static constexpr double time_budget = 20;
  static constexpr std::array needs{need("l2.nominal_size"), need("l2.max_persisting_size"),
                                    optional_need("dram.free")};
  static constexpr std::array provides{
      declare::capacity("l2.persistence.size", per_device,
                        "Persisting lines that stay while others stream by, with the largest part set aside"),
      declare::list("l2.persistence.kept_by_size", "1", per_device,
                    "Pairs of bytes of persisting lines and the share of them that stays while others stream by"),
      declare::capacity("l2.persistence.size_left", per_device,
                        "Normal lines that L2 keeps while persisting lines fill the part that is set aside"),
      declare::list("l2.persistence.others_kept_by_size", "1", per_device,
                    "Pairs of bytes of normal lines and the share of them that L2 keeps beside persisting ones")};
  static void run(const Session& session) { find_persistence(session); }
};

}  // namespace

}  // namespace tomograph::l2_persistence

TOMOGRAPH_PLUGIN("l2-persistence", "1.0.0", "What setting aside a part of L2 does",
                 tomograph::Probes<tomograph::l2_persistence::Persistence>, tomograph::l2_persistence::Kernels)
