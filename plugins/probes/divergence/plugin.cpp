#include "tomograph/plugin.hpp"

#include "questions.hpp"

namespace tomograph::divergence {

namespace {

using declare::per_sm;

struct BranchWidth {
  static constexpr const char* id = "divergence/branch_width";
  static constexpr const char* question = "What does it cost when neighbouring threads follow different branches?";
  static constexpr double expected_seconds = 0.01;
  static constexpr double time_budget = 20;
  static constexpr std::array needs{optional_need("device.max_warps_per_sm")};
  static constexpr std::array parameters{
      parameter("repetitions", TOMOGRAPH_INTEGER, "25", 2, 1024, "Runs on different SMs for each width")};
  static constexpr std::array provides{
      declare::list(
          "divergence.cycles_by_branch_width", "cycle", per_sm,
          "Pairs: consecutive threads on the same branch, cycles of an SM per warp and instruction of a branch"),
      declare::count("divergence.coherent_threads", per_sm,
                     "Fewest consecutive threads that must follow the same branch for full performance")};
  static void run(const Session& session) { find_branch_width(session); }
};

}  // namespace

}  // namespace tomograph::divergence

TOMOGRAPH_PLUGIN("divergence", "1.0.0", "Cost of threads that follow different branches",
                 tomograph::Probes<tomograph::divergence::BranchWidth>)
