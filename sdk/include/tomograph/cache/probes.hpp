#ifndef TOMOGRAPH_CACHE_PROBES_HPP
#define TOMOGRAPH_CACHE_PROBES_HPP

#include "tomograph/cache/questions.hpp"
#include "tomograph/plugin.hpp"

/// Probe descriptors for any private cache, one per question. A plugin for another cache is a Level and
///   TOMOGRAPH_PLUGIN("id", "1.0.0", "...", tomograph::cache::PrivateCacheProbes<level>)
/// or a selection of these probes with some of its own. Levels are `inline constexpr` or `constexpr` at namespace
/// scope.
namespace tomograph::cache {

/// `needs` and one more.
template <std::size_t size>
constexpr auto with(const std::array<tomograph_need, size>& needs, const tomograph_need& another) {
  return concatenated(needs, std::array{another});
}

namespace detail {

template <const Level& level, std::size_t size>
constexpr auto with_reach(const std::array<tomograph_need, size>& needs) {
  if constexpr (!level.reach) {
    return needs;
  } else {
    return with(needs, need(*level.reach));
  }
}

}  // namespace detail

/// Needs of known_subject.
template <const Level& level>
inline constexpr std::array threshold_needs{
    need(fact_key<level, "hit_threshold">), need(fact_key<level, "hit_threshold.false_hit">),
    need(fact_key<level, "hit_threshold.false_miss">), optional_need("device.max_shared_memory_per_block")};

/// Needs of a question that calls known_subject and uses further `facts` of the level.
template <const Level& level, Literal... facts>
constexpr auto needs_of() {
  constexpr auto own = [] {
    if constexpr (sizeof...(facts) == 0) {
      return threshold_needs<level>;
    } else {
      return concatenated(threshold_needs<level>, std::array{need(fact_key<level, facts>)...});
    }
  }();
  constexpr auto all = detail::with_reach<level>(own);
  if constexpr (!level.above) {
    return all;
  } else {
    return with(all, need(fact_key<**level.above, "hit_threshold">));
  }
}

/// The facts of publish_latencies.
template <const Level& level>
inline constexpr std::array latency_specs{
    fact_spec(fact_key<level, "latency">, TOMOGRAPH_REAL, "cycle", level.scope, "From a load to its use, on a hit"),
    fact_spec(fact_key<level, "miss_penalty">, TOMOGRAPH_REAL, "cycle", level.scope,
              "Extra latency of a miss that the next level serves"),
    fact_spec(fact_key<level, "hit_threshold">, TOMOGRAPH_REAL, "cycle", level.scope,
              "Latency above which a load counts as a miss"),
    fact_spec(fact_key<level, "hit_threshold.false_hit">, TOMOGRAPH_REAL, "1", level.scope,
              "Probability that a miss counts as a hit"),
    fact_spec(fact_key<level, "hit_threshold.false_miss">, TOMOGRAPH_REAL, "1", level.scope,
              "Probability that a hit counts as a miss")};

template <const Level& level>
struct LatencyProbe {
  static constexpr const char* id = probe_id<level, "latency">;
  static constexpr const char* question = sentence<level, "How long do hits and misses of ", " take?">;
  static constexpr double expected_seconds = 0.1;
  static constexpr double time_budget = 20;
  static constexpr bool shares_device = !level.shared;
  static constexpr std::array needs{need("device.sm_count")};
  static constexpr auto provides = latency_specs<level>;
  static void run(const Session& session) { find_latency(session, level); }
};

template <const Level& level>
struct FetchProbe {
  static constexpr const char* id = probe_id<level, "fetch">;
  static constexpr const char* question = sentence<level, "How many bytes does one miss of ", " bring?">;
  static constexpr double expected_seconds = 0.05;
  static constexpr double time_budget = 20;
  static constexpr bool shares_device = !level.shared;
  static constexpr auto needs = [] {
    if constexpr (!level.above) {
      return needs_of<level>();
    } else {
      return with(needs_of<level>(), optional_need(fact_key<**level.above, "fetch_granularity">));
    }
  }();
  static constexpr std::array provides{fact_spec(fact_key<level, "fetch_granularity">, TOMOGRAPH_INTEGER, "B",
                                                 level.scope, "Bytes that one miss brings from the next level"),
                                       fact_spec(fact_key<level, "sector_size">, TOMOGRAPH_INTEGER, "B", level.scope,
                                                 "Smallest part of a line that is valid on its own")};
  static void run(const Session& session) { find_fetch(session, level); }
};

template <const Level& level>
struct LineProbe {
  static constexpr const char* id = probe_id<level, "line">;
  static constexpr const char* question = sentence<level, "How many bytes does ", " evict as a whole?">;
  static constexpr double expected_seconds = 0.2;
  static constexpr double time_budget = 20;
  static constexpr bool shares_device = !level.shared;
  static constexpr auto needs = needs_of<level, "fetch_granularity">();
  static constexpr std::array provides{
      fact_spec(fact_key<level, "line_size">, TOMOGRAPH_INTEGER, "B", level.scope, "Bytes of a line")};
  static void run(const Session& session) { find_line(session, level); }
};

template <const Level& level>
struct SizeProbe {
  static constexpr const char* id = probe_id<level, "size">;
  static constexpr const char* question = sentence<level, "How many bytes does ", " retain?">;
  static constexpr double expected_seconds = 0.2;
  static constexpr double time_budget = 60;
  static constexpr bool shares_device = !level.shared;
  static constexpr auto needs = needs_of<level, "line_size">();
  static constexpr std::array provides{
      declare::capacity(fact_key<level, "size">, level.scope, "Usable capacity with the smallest carve-out")};
  static void run(const Session& session) { find_size(session, level); }
};

/// The facts of find_organisation.
template <const Level& level>
inline constexpr std::array organisation_facts{
    fact_spec(fact_key<level, "sets">, TOMOGRAPH_INTEGER, "1", level.scope, "Number of sets that one SM fills"),
    fact_spec(fact_key<level, "ways">, TOMOGRAPH_INTEGER, "1", level.scope, "Ways of every set, if all have the same"),
    fact_spec(fact_key<level, "set_ways">, TOMOGRAPH_LIST, "1", level.scope, "Ways of each set"),
    fact_spec(fact_key<level, "index">, TOMOGRAPH_TABLE, "", level.scope, "Which address bits choose the set"),
    fact_spec(fact_key<level, "replacement">, TOMOGRAPH_TEXT, "", level.scope, "How a set chooses its victims"),
    fact_spec(fact_key<level, "way_probability">, TOMOGRAPH_LIST, "1", level.scope,
              "How often each way is the victim")};

template <const Level& level>
struct OrganisationProbe {
  static constexpr const char* id = probe_id<level, "organisation">;
  static constexpr const char* question =
      sentence<level, "Into which sets does ", " put lines, and which does it replace?">;
  static constexpr double expected_seconds = 0.5;
  static constexpr double time_budget = 60;
  static constexpr bool shares_device = !level.shared;
  static constexpr auto needs = needs_of<level, "line_size", "size">();
  static constexpr auto provides = organisation_facts<level>;
  static void run(const Session& session) { find_organisation(session, level, key(level, "size")); }
};

template <const Level& level>
struct TaggingProbe {
  static constexpr const char* id = probe_id<level, "tagging">;
  static constexpr const char* question = sentence<level, "Does ", " find a line by its virtual address?">;
  static constexpr double expected_seconds = 0.05;
  static constexpr double time_budget = 20;
  static constexpr bool shares_device = !level.shared;
  static constexpr auto needs = needs_of<level>();
  static constexpr std::array provides{fact_spec(fact_key<level, "virtually_tagged">, TOMOGRAPH_BOOLEAN, "",
                                                 level.scope,
                                                 "Whether the same memory at another address is another line")};
  static void run(const Session& session) { find_tagging(session, level); }
};

/// All of them.
template <const Level& level>
using PrivateCacheProbes = Probes<LatencyProbe<level>, FetchProbe<level>, LineProbe<level>, SizeProbe<level>,
                                  OrganisationProbe<level>, TaggingProbe<level>>;

}  // namespace tomograph::cache

#endif
