#include "tomograph/session/plugin.hpp"

#include "branch_width.hpp"

namespace tomograph::divergence {

namespace {

struct BranchWidth {
  static constexpr const char* id = "divergence/branch_width";
  static constexpr const char* question = "What does it cost when neighbouring threads follow different branches?";
  static constexpr double expected_seconds = 0.01;
  static constexpr double time_budget = 20;
  static constexpr std::array needs{optional_need("device.max_warps_per_sm")};
  static constexpr std::array parameters{
      parameter("repetitions", TOMOGRAPH_INTEGER, "25", 2, 1024, "Runs on different SMs for each width")};
  static constexpr std::array provides{
      fact_spec("divergence.cycles_by_branch_width", TOMOGRAPH_LIST, "cycle", TOMOGRAPH_PER_SM,
                "Pairs: consecutive threads on the same branch, cycles of an SM per warp and instruction of a branch"),
      fact_spec("divergence.coherent_threads", TOMOGRAPH_INTEGER, "1", TOMOGRAPH_PER_SM,
                "Fewest consecutive threads that must follow the same branch for nothing to be lost")};
  static void run(const Session& session) { find_branch_width(session); }
};

}  // namespace

}  // namespace tomograph::divergence

TOMOGRAPH_PLUGIN("divergence", "1.0.0", "Cost of threads that follow different branches",
                 tomograph::Probes<tomograph::divergence::BranchWidth>)
