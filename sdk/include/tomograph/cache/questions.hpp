#ifndef TOMOGRAPH_CACHE_QUESTIONS_HPP
#define TOMOGRAPH_CACHE_QUESTIONS_HPP

#include <array>
#include <optional>
#include <string>

#include "tomograph/analysis/agreement.hpp"
#include "tomograph/analysis/linear_index.hpp"
#include "tomograph/cache/hit_and_miss.hpp"
#include "tomograph/cache/level.hpp"
#include "tomograph/cache/sets.hpp"
#include "tomograph/session.hpp"

/// The questions that probes ask about any cache. Each function measures, publishes the facts of one question under the
/// level's prefix and stores the evidence. `tomograph/cache/probes.hpp` has the descriptors; a probe with its own
/// descriptor declares the same needs. Names of facts stand without the prefix here.
namespace tomograph::cache {

/// Executes chase programs through the session, which must outlive it.
[[nodiscard]] Executor executor(const Session& session);

/// The same for programs about a level. If it is shared, measures whether pages are small; if so, timed loads hit the
/// first TLB (translation.hpp).
[[nodiscard]] Executor executor(const Session& session, const Level& level);

/// The level as a subject, before any fact about it is known.
[[nodiscard]] Subject subject_of(const Level& level);

/// The level with its hit threshold. Needs threshold_needs of the level.
[[nodiscard]] Subject known_subject(const Session& session, const Level& level);

/// Bytes of other data that evict everything from L2: four times "l2.nominal_size", or 256 MiB if it is not known, but
/// at most half of "dram.free". Needs both, optionally.
[[nodiscard]] std::int64_t flush_bytes(const Session& session);

/// Sizes between which the capacity of a level is searched, in bytes.
struct SearchRange {
  std::int64_t start = 0;
  std::int64_t limit = 0;
};
[[nodiscard]] SearchRange search_range(const Session& session, const Level& level);

/// Publishes the fact, or, if the measurement was not conclusive, the reason for that.
void publish_or(const Session& session, bool conclusive, const Fact& fact, const std::string& reason);

/// A column of evidence.
[[nodiscard]] inline NamedArray column(std::string name, std::vector<double> values) {
  return {std::move(name), std::move(values)};
}

/// Measures hits and misses of the level from all SMs: a private level by a path that bypasses it, a shared one after a
/// flush. Stores the evidence "latency". Needs "device.sm_count"; shared levels use "l2.nominal_size".
[[nodiscard]] HitAndMiss measure_hits_and_misses(const Session& session, const Level& level);

/// Names of the facts of publish_latencies.
inline constexpr std::array latency_facts{"latency", "miss_penalty", "hit_threshold", "hit_threshold.false_hit",
                                          "hit_threshold.false_miss"};

/// Publishes latency_facts. Requires seen.threshold.
void publish_latencies(const Session& session, const Level& level, const HitAndMiss& seen);

/// The same without "latency", for a level whose hits are not timed in total.
void publish_misses(const Session& session, const Level& level, const HitAndMiss& seen);

/// Publishes what `measure_hits_and_misses` returns. The facts are absent if repeated loads take as long as first ones:
/// then no cache holds what is loaded on this path.
void find_latency(const Session& session, const Level& level);

/// "fetch_granularity" and "sector_size". Needs threshold_needs; shared levels use "l2.nominal_size", levels behind
/// others the fetch granularity of those.
void find_fetch(const Session& session, const Level& level);

/// "line_size". Needs threshold_needs and "fetch_granularity".
void find_line(const Session& session, const Level& level);

/// A size, and the walk that measured it.
struct MeasuredSize {
  Fact fact;
  std::int64_t stride = 0;  ///< from node to node: a line, or less where lines fit of which not all sectors do
};

/// Measures "size" and stores its evidence; returns the fact without publishing it. Nothing if no footprint was too
/// large for the cache. Needs threshold_needs and "line_size".
[[nodiscard]] std::optional<MeasuredSize> measured_size(const Session& session, const Level& level);

/// Publishes `measured_size`.
void find_size(const Session& session, const Level& level);

/// What the record of a fact about a size says.
[[nodiscard]] analysis::Statement stated(const Value& size);

/// "sets", "ways", "set_ways", "index", "replacement" and "way_probability" of a cache whose usable capacity is the
/// fact `size_fact`. Sets of more or fewer lines are less sure. Needs that fact, threshold_needs and "line_size".
void find_organisation(const Session& session, const Level& level, const std::string& size_fact);

/// "sets", "ways", "set_ways" and "index"; `common` has method, confidence, samples, conditions and evidence.
void publish_sets(const Session& session, const Level& level, const Sets& sets, const Fact& common);

/// The fact "index" of sets that XORs of address bits choose: {"kind": "bits" or "hashed", ...}.
[[nodiscard]] Value index_value(const analysis::LinearIndex& index);

/// The fact "index" of sets that are the remainder of the line's number by `modulus`: {"kind": "modulo", ...}.
[[nodiscard]] Value index_value(std::int64_t modulus);

/// "virtually_tagged". Needs threshold_needs.
void find_tagging(const Session& session, const Level& level);

}  // namespace tomograph::cache

#endif
