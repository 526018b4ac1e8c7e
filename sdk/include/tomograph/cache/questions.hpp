#ifndef TOMOGRAPH_CACHE_QUESTIONS_HPP
#define TOMOGRAPH_CACHE_QUESTIONS_HPP

#include <optional>
#include <string>

#include "tomograph/cache/hit_and_miss.hpp"
#include "tomograph/cache/level.hpp"
#include "tomograph/cache/sets.hpp"
#include "tomograph/session/session.hpp"

/// What probes ask about any cache: each function measures, publishes the facts of one question under the level's
/// prefix and keeps the evidence. `tomograph/cache/probes.hpp` has the descriptors that go with them; a probe with a
/// descriptor of its own declares the same needs.
namespace tomograph::cache {

/// Runs chase programs through the session, which must outlive it.
[[nodiscard]] Executor executor(const Session& session);

/// The level before anything is known about it.
[[nodiscard]] Subject subject_of(const Level& level);

/// The level with its hit threshold. Needs "hit_threshold".
[[nodiscard]] Subject known_subject(const Session& session, const Level& level);

/// Bytes of other data that push everything out of L2: four times "l2.nominal_size" or, without it, a guess that is
/// large for any present L2.
[[nodiscard]] std::int64_t flush_bytes(const Session& session);

/// Sizes between which a capacity is sought.
struct SearchRange {
  std::int64_t start = 0;
  std::int64_t limit = 0;
};
[[nodiscard]] SearchRange search_range(const Session& session, const Level& level);

/// Publishes the fact, or the reason that it has no value.
void publish_or(const Session& session, bool conclusive, const Fact& fact, const std::string& reason);

/// A column of evidence.
[[nodiscard]] inline NamedArray column(std::string name, std::vector<double> values) {
  return {std::move(name), std::move(values)};
}

/// Hits and misses of the level from all SMs: private levels by a path behind them, shared ones after a flush. Keeps
/// the evidence "latency". Needs "device.sm_count"; shared levels use "l2.nominal_size".
[[nodiscard]] HitAndMiss measure_hits_and_misses(const Session& session, const Level& level);

/// "latency", "miss_penalty" and "hit_threshold". Requires seen.threshold.
void publish_latencies(const Session& session, const Level& level, const HitAndMiss& seen);

/// The last two of them: of a level whose hits are not timed in total.
void publish_misses(const Session& session, const Level& level, const HitAndMiss& seen);

/// What `measure_hits_and_misses` saw as facts; absent if repeated loads take as long as first ones: then no cache
/// holds what is loaded on this path.
void find_latency(const Session& session, const Level& level);

/// "fetch_granularity" and "sector_size". Needs "hit_threshold"; shared levels use "l2.nominal_size", levels behind
/// others what those fetch.
void find_fetch(const Session& session, const Level& level);

/// "line_size". Needs "hit_threshold" and "fetch_granularity".
void find_line(const Session& session, const Level& level);

/// The fact "size" with its evidence kept, not yet published; nothing if no footprint was too large. Needs
/// "hit_threshold" and "line_size".
[[nodiscard]] std::optional<Fact> measured_size(const Session& session, const Level& level);

/// Publishes `measured_size`.
void find_size(const Session& session, const Level& level);

/// "sets", "ways", "set_ways", "index", "replacement" and "way_probability" of a cache in which `capacity` bytes are
/// usable. Needs "hit_threshold" and "line_size".
void find_organisation(const Session& session, const Level& level, std::int64_t capacity);

/// "sets", "ways", "set_ways" and "index"; `common` has method, confidence, samples, conditions and evidence.
void publish_sets(const Session& session, const Level& level, const Sets& sets, const Fact& common);

/// "virtually_tagged". Needs "hit_threshold".
void find_tagging(const Session& session, const Level& level);

}  // namespace tomograph::cache

#endif
