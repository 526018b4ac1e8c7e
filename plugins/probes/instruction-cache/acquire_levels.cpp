#include <algorithm>
#include <array>
#include <string>

#include "acquire_walks.hpp"
#include "analysis_levels.hpp"
#include "questions.hpp"
#include "tomograph/analysis/confidence.hpp"
#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::instruction_cache {

namespace {

/// Of each footprint: the median of three ignores one that was disturbed.
constexpr std::int64_t trials = 3;
constexpr const char* curve = "instruction_cache.levels";
/// Laps, of which the last one is timed: cache contents are steady after two. Seen on an H200 only.
constexpr std::size_t laps = 4;
constexpr std::array prefixes{"instruction_l0", "instruction_l1", "instruction_l15"};
constexpr std::array facts{".size", ".miss_penalty"};

/// Footprints in KiB: all of the small ones, then steps of 3 %.
std::vector<std::int64_t> footprints() {
  std::vector<std::int64_t> all;
  for (std::int64_t kib = 2; kib <= code_bytes / far_bytes; kib += std::max<std::int64_t>(1, kib * 3 / 100)) {
    all.push_back(kib);
  }
  return all;
}

std::vector<Footprint> measure(const Session& session) {
  std::vector<Walk> walks;
  const std::vector<std::int64_t> sizes = footprints();
  for (const std::int64_t kib : sizes) {
    for (std::int64_t trial = 0; trial < trials; ++trial) walks.push_back(laps_over({0, kib, true}, laps, trial));
  }
  const auto latencies = time_walks(session, walks);
  std::vector<Footprint> measured;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    measured.push_back({sizes[i] * far_bytes, {}});
    for (std::size_t trial = 0; trial < trials; ++trial) {
      const auto& one = latencies[i * trials + trial];
      measured.back().latencies.insert(measured.back().latencies.end(), one.begin(), one.end());
    }
  }
  return measured;
}

void keep_curve(const Session& session, const std::vector<Footprint>& measured) {
  std::vector<std::int64_t> bytes;
  std::array<std::vector<double>, 3> quantiles;
  std::vector<double> means;
  for (const Footprint& one : measured) {
    bytes.push_back(one.bytes);
    double sum = 0;
    for (const double latency : one.latencies) sum += latency;
    means.push_back(sum / static_cast<double>(one.latencies.size()));
    const std::array shares{0.1, 0.5, 0.9};
    for (std::size_t i = 0; i < shares.size(); ++i) {
      quantiles[i].push_back(analysis::quantile(one.latencies, shares[i]));
    }
  }
  session.evidence(curve, std::vector<NamedArray>{{"footprint_bytes", bytes},
                                                  {"mean_cycles", means},
                                                  {"low_cycles", quantiles[0]},
                                                  {"median_cycles", quantiles[1]},
                                                  {"high_cycles", quantiles[2]}});
}

void publish(const Session& session, const std::string& prefix, const Level& level) {
  const Value conditions = {{"code", "every eighth block of 128 B"}};
  session.publish({.key = prefix + ".size",
                   .value = level.size,
                   .method = "half-missed",
                   .confidence = confidence::instruction_cache::size,
                   .interval = Interval{static_cast<double>(level.all_fit), static_cast<double>(level.none_fit)},
                   .samples = trials,
                   .conditions = conditions,
                   .evidence = curve});
  // A cycle and 1 % for whole cycles and the code between blocks. Chosen on an H200.
  const double margin = 1 + 0.01 * level.penalty();
  session.publish({.key = prefix + ".miss_penalty",
                   .value = level.penalty(),
                   .method = "between-plateaus",
                   .confidence = confidence::instruction_cache::miss_penalty,
                   .interval = Interval{level.penalty() - margin, level.penalty() + margin},
                   .samples = trials,
                   .conditions = conditions,
                   .evidence = curve});
}

void give_up(const Session& session, const std::string& reason) {
  for (const std::string prefix : prefixes) {
    for (const char* fact : facts) session.inconclusive(prefix + fact, reason);
  }
}

}  // namespace

void find_levels(const Session& session) {
  const std::vector<Footprint> measured = measure(session);
  keep_curve(session, measured);
  const std::vector<Level> levels = find_levels(measured);
  const std::string reach = std::to_string(code_bytes) + " B of code";
  if (levels.empty()) return give_up(session, "latency does not rise from one level to another up to " + reach);
  if (const auto l2 = session.fact<double>("l2.latency"); l2 && !ends_in_l2(levels, *l2)) {
    return give_up(session, reach + " are fetched faster than from L2, so that a level may be larger");
  }
  const std::vector<std::string> keys = names_of(levels.size());
  for (const std::string prefix : prefixes) {
    const auto place = static_cast<std::size_t>(std::ranges::find(keys, prefix) - keys.begin());
    if (place < levels.size()) {
      publish(session, prefix, levels[place]);
    } else {
      const std::string steps = "latency rises only " + std::to_string(levels.size()) + " times up to " + reach;
      for (const char* fact : facts) session.absent(prefix + fact, steps);
    }
  }
  if (levels.size() > prefixes.size()) {
    session.log(TOMOGRAPH_WARNING, "there are more than three levels of instruction caches");
  }
}

}  // namespace tomograph::instruction_cache
