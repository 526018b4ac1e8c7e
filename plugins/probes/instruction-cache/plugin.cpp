#include "tomograph/plugin.hpp"

#include "questions.hpp"

namespace tomograph::instruction_cache {

namespace {

using declare::per_sm;

struct Levels {
  static constexpr const char* id = "instruction-cache/levels";
  static constexpr const char* question =
      "Which levels of cache hold instructions, how much, and what does a miss cost?";
  static constexpr double expected_seconds = 0.05;
  static constexpr double time_budget = 30;
  static constexpr bool shares_device = true;
  static constexpr std::array needs{optional_need("l2.latency")};
  static constexpr std::array provides{
      declare::capacity("instruction_l0.size", per_sm, "Capacity of the level nearest to the pipelines"),
      declare::cycles("instruction_l0.miss_penalty", per_sm, "Extra latency of a miss that the next level serves"),
      declare::capacity("instruction_l1.size", per_sm, "Capacity of the second level"),
      declare::cycles("instruction_l1.miss_penalty", per_sm, "Extra latency of a miss that the next level serves"),
      declare::capacity("instruction_l15.size", per_sm, "Capacity of the last level before L2"),
      declare::cycles("instruction_l15.miss_penalty", per_sm, "Extra latency of a miss that L2 serves")};
  static void run(const Session& session) { find_levels(session); }
};

struct Lines {
  static constexpr const char* id = "instruction-cache/lines";
  static constexpr const char* question = "How much code does a cache fetch together?";
  static constexpr double expected_seconds = 0.05;
  static constexpr double time_budget = 30;
  static constexpr bool shares_device = true;
  static constexpr auto needs = optional_needs("instruction_l1.size", "instruction_l1.miss_penalty",
                                               "instruction_l15.size", "instruction_l15.miss_penalty");
  static constexpr std::array provides{
      declare::bytes("instruction_l1.line_size", per_sm, "Bytes of code that the second level fetches together"),
      declare::bytes("instruction_l15.line_size", per_sm,
                     "Bytes of code that the last level before L2 fetches together")};
  static void run(const Session& session) { find_lines(session); }
};

}  // namespace

}  // namespace tomograph::instruction_cache

using namespace tomograph::instruction_cache;

TOMOGRAPH_PLUGIN("instruction-cache", "1.0.0", "Caches of instructions: levels, sizes, lines, miss penalties",
                 tomograph::Probes<Levels, Lines>)
