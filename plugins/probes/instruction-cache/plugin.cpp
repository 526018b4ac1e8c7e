#include "tomograph/session/plugin.hpp"

#include "probes.hpp"

namespace tomograph::instruction_cache {

namespace {

constexpr auto integer = TOMOGRAPH_INTEGER;
constexpr auto real = TOMOGRAPH_REAL;
constexpr auto per_sm = TOMOGRAPH_PER_SM;

struct Levels {
  static constexpr const char* id = "instruction-cache/levels";
  static constexpr const char* question =
      "Which levels of cache hold instructions, how much, and what does a miss cost?";
  static constexpr double expected_seconds = 0.05;
  static constexpr double time_budget = 30;
  static constexpr std::array provides{
      fact_spec("instruction_l0.size", integer, "B", per_sm, "Code that the level nearest to the pipelines holds"),
      fact_spec("instruction_l0.miss_penalty", real, "cycle", per_sm, "What a miss costs that the next level answers"),
      fact_spec("instruction_l1.size", integer, "B", per_sm, "Code that the next level holds"),
      fact_spec("instruction_l1.miss_penalty", real, "cycle", per_sm, "What a miss costs that the next level answers"),
      fact_spec("instruction_l15.size", integer, "B", per_sm, "Code that the last level before the L2 holds"),
      fact_spec("instruction_l15.miss_penalty", real, "cycle", per_sm, "What a miss costs that the L2 answers")};
  static void run(const Session& session) { find_levels(session); }
};

struct Lines {
  static constexpr const char* id = "instruction-cache/lines";
  static constexpr const char* question = "How much code comes into a cache together?";
  static constexpr double expected_seconds = 0.05;
  static constexpr double time_budget = 30;
  static constexpr std::array needs{optional_need("instruction_l1.size"), optional_need("instruction_l1.miss_penalty"),
                                    optional_need("instruction_l15.size"),
                                    optional_need("instruction_l15.miss_penalty")};
  static constexpr std::array provides{
      fact_spec("instruction_l1.line_size", integer, "B", per_sm, "Code that comes into the level together"),
      fact_spec("instruction_l15.line_size", integer, "B", per_sm, "The same for the last level before the L2")};
  static void run(const Session& session) { find_lines(session); }
};

}  // namespace

}  // namespace tomograph::instruction_cache

using namespace tomograph::instruction_cache;

TOMOGRAPH_PLUGIN("instruction-cache", "1.0.0", "Caches of instructions: levels, sizes, lines, miss penalties",
                 tomograph::Probes<Levels, Lines>)
