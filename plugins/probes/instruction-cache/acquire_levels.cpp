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

}  // namespace

void find_levels(const Session& session) {
  const std::vector<Footprint> measured = measure(session);
  keep_curve(session, measured);
  const std::vector<Level> levels = find_levels(measured);
  const std::vector<std::string> keys = names_of(levels.size());
  for (const std::string prefix : {"instruction_l0", "instruction_l1", "instruction_l15"}) {
    const auto place = std::ranges::find(keys, prefix) - keys.begin();
    if (static_cast<std::size_t>(place) < levels.size()) {
      publish(session, prefix, levels[static_cast<std::size_t>(place)]);
      continue;
    }
    for (const char* fact : {".size", ".miss_penalty"}) {
      if (levels.empty()) {
        session.inconclusive(prefix + fact, "latency has no step up to " + std::to_string(code_bytes) + " B of code");
      } else {
        session.absent(prefix + fact, "there are " + std::to_string(levels.size()) + " steps of latency up to " +
                                          std::to_string(code_bytes) + " B of code");
      }
    }
  }
  if (levels.size() > 3) session.log(TOMOGRAPH_WARNING, "there are more than three levels of instruction caches");
}

}  // namespace tomograph::instruction_cache
