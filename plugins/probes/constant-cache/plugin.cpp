#include "questions.hpp"
#include "tomograph/cache/probes.hpp"

namespace tomograph::constant_cache {

namespace {

using cache::fact_key;

constexpr auto real = TOMOGRAPH_REAL;
constexpr auto integer = TOMOGRAPH_INTEGER;
constexpr auto per_sm = TOMOGRAPH_PER_SM;

struct Latency {
  static constexpr const char* id = "constant-cache/latency";
  static constexpr const char* question = "How many levels of caches hold constants, and how long do they take?";
  static constexpr double expected_seconds = 0.1;
  static constexpr double time_budget = 20;
  static constexpr std::array needs{need("device.sm_count"), optional_need("l2.partition.count"),
                                    optional_need("l2.latency.near"), optional_need("l2.latency.far")};
  static constexpr auto provides = cache::joined(
      std::array{
          fact_spec("constant_memory.reach", integer, "B", TOMOGRAPH_PER_DEVICE, "Constants that one program can load"),
          fact_spec("constant_memory.latency", real, "cycle", TOMOGRAPH_PER_DEVICE,
                    "Load of a constant that no constant cache holds, but L2")},
      cache::joined(cache::latency_specs<l1>, cache::latency_specs<l15>));
  static void run(const Session& session) { find_latencies(session); }
};

/// What the level before holds decides how footprints are walked, if it is known.
struct L15Organisation {
  static constexpr const char* id = "constant-cache/l15.organisation";
  static constexpr const char* question = "How large is the constant L1.5, and into which sets does it put lines?";
  static constexpr double expected_seconds = 0.1;
  static constexpr double time_budget = 60;
  static constexpr auto needs = cache::with(
      cache::with(cache::with(cache::needs_of<l15, "fetch_granularity">(), optional_need("constant_l1.size")),
                  optional_need("constant_l1.line_size")),
      optional_need("constant_l1.fetch_granularity"));
  static constexpr std::array provides{
      fact_spec("constant_l15.line_size", integer, "B", per_sm, "Bytes of a line"),
      fact_spec("constant_l15.size", integer, "B", per_sm, "Usable capacity"),
      fact_spec("constant_l15.size_at_least", integer, "B", per_sm,
                "Lower bound of the usable capacity, where a program cannot load enough to find it"),
      fact_spec("constant_l15.sets", integer, "1", per_sm, "Number of sets"),
      fact_spec("constant_l15.ways", integer, "1", per_sm, "Ways of every set, where all have the same"),
      fact_spec("constant_l15.set_ways", TOMOGRAPH_LIST, "1", per_sm, "Ways of each set"),
      fact_spec("constant_l15.index", TOMOGRAPH_TABLE, "", per_sm, "Which address bits choose the set")};
  static void run(const Session& session) { find_l15_organisation(session); }
};

}  // namespace

}  // namespace tomograph::constant_cache

using namespace tomograph::constant_cache;

TOMOGRAPH_PLUGIN("constant-cache", "1.0.0", "The caches of constant memory",
                 tomograph::Probes<Latency, tomograph::cache::FetchProbe<l1>, tomograph::cache::LineProbe<l1>,
                                   tomograph::cache::SizeProbe<l1>, tomograph::cache::OrganisationProbe<l1>,
                                   tomograph::cache::FetchProbe<l15>, L15Organisation>)
