#include "questions.hpp"
#include "tomograph/cache/probes.hpp"

namespace tomograph::constant_cache {

namespace {

using declare::per_device;

struct Latency {
  static constexpr const char* id = "constant-cache/latency";
  static constexpr const char* question = "How many levels of caches hold constants, and how long do their hits take?";
  static constexpr double expected_seconds = 0.1;
  static constexpr double time_budget = 20;
  static constexpr bool shares_device = true;
  static constexpr std::array needs{need("device.sm_count"), optional_need("l2.partition.count"),
                                    optional_need("l2.latency.near"), optional_need("l2.latency.far"),
                                    optional_need("l2.nominal_size")};
  static constexpr auto provides = concatenated(
      std::array{declare::bytes("constant_memory.reach", per_device, "Constants that one program can load"),
                 declare::cycles("constant_memory.latency", per_device, "Latency of a constant that only L2 holds")},
      cache::latency_specs<l1>, cache::latency_specs<l15>);
  static void run(const Session& session) { find_latencies(session); }
};

/// If the level before is known, it decides how footprints are walked.
struct L15Organisation {
  static constexpr const char* id = "constant-cache/l15.organisation";
  static constexpr const char* question = "How large is the constant L1.5, and into which sets does it put lines?";
  static constexpr double expected_seconds = 0.1;
  static constexpr double time_budget = 60;
  static constexpr bool shares_device = true;
  static constexpr auto needs =
      concatenated(cache::needs_of<l15, "fetch_granularity">(),
                   std::array{optional_need("constant_l1.size"), optional_need("constant_l1.line_size"),
                              optional_need("constant_l1.fetch_granularity")});
  static constexpr std::array provides{
      declare::bytes("constant_l15.line_size", l15.scope, "Bytes of a line"),
      declare::bytes("constant_l15.size", l15.scope, "Usable capacity"),
      declare::bytes("constant_l15.size_at_least", l15.scope,
                     "Lower bound of the usable capacity, if a program cannot load enough constants to find it"),
      declare::count("constant_l15.sets", l15.scope, "Number of sets"),
      declare::count("constant_l15.ways", l15.scope, "Ways of every set, if all have the same"),
      declare::list("constant_l15.set_ways", "1", l15.scope, "Ways of each set"),
      fact_spec("constant_l15.index", TOMOGRAPH_TABLE, "", l15.scope, "Which address bits choose the set")};
  static void run(const Session& session) { find_l15_organisation(session); }
};

}  // namespace

}  // namespace tomograph::constant_cache

using namespace tomograph::constant_cache;

TOMOGRAPH_PLUGIN("constant-cache", "1.0.0", "The caches of constant memory",
                 tomograph::Probes<Latency, tomograph::cache::FetchProbe<l1>, tomograph::cache::LineProbe<l1>,
                                   tomograph::cache::SizeProbe<l1>, tomograph::cache::OrganisationProbe<l1>,
                                   tomograph::cache::FetchProbe<l15>, L15Organisation>)
