#include "tomograph/analysis/change_point.hpp"

#include <algorithm>

#include "methods.hpp"

namespace tomograph::classical_methods {
namespace {

/// Lower and upper boundary of the search: without and with a miss (Größler 2022, section 3.2).
struct Region {
  std::int64_t low = 0;
  std::int64_t high = 0;
};

bool misses(const cache::Executor& execute, const cache::Subject& subject, std::int64_t bytes) {
  const auto latencies = second_rounds(execute, subject, std::array{Walk{bytes}}).front();
  const auto missed =
      std::ranges::count_if(latencies, [&](double cycles) { return cycles > subject.threshold.cycles; });
  return missed > 1;  // a single one may be an interruption
}

/// Doubles from 1 KiB until there are misses, then bisects until the region is an eighth of its lower boundary.
std::optional<Region> search(const cache::Executor& execute, const cache::Subject& subject, std::int64_t limit) {
  Region region{0, 1024};
  while (!misses(execute, subject, region.high)) {
    if (region.high > limit) return std::nullopt;
    region = {region.high, 2 * region.high};
  }
  constexpr std::int64_t close_enough = 8;
  while (region.high - region.low > std::max<std::int64_t>(region.low / close_enough, 128)) {
    const std::int64_t middle = (region.low + region.high) / 2;
    (misses(execute, subject, middle) ? region.high : region.low) = middle;
  }
  return region;
}

/// Sizes from a region's width before it to a width behind it, so that the change is well inside the series.
std::vector<Walk> series(const Region& region) {
  constexpr std::int64_t sizes = 96;
  const std::int64_t width = region.high - region.low;
  const std::int64_t first = std::max<std::int64_t>(region.low - width, 128);
  const std::int64_t step = std::max((region.high + width - first) / sizes, std::int64_t{1});
  std::vector<Walk> walks;
  for (std::int64_t bytes = first; bytes <= region.high + width; bytes += step) {
    const std::int64_t whole = bytes / chase::node_bytes * chase::node_bytes;
    if (walks.empty() || whole > walks.back().bytes) walks.push_back({whole});
  }
  return walks;
}

}  // namespace

void follow_groessler(const Session& session, const cache::Level& level) {
  const cache::Executor execute = cache::executor(session);
  const cache::Subject subject = cache::known_subject(session, level);
  const std::string key = cache::key(level, "size");
  const auto region = search(execute, subject, cache::search_range(session, level).limit);
  if (!region) return session.inconclusive(key, "no size within reach shows a miss in its second round");

  const std::vector<Walk> walks = series(*region);
  const auto latencies = second_rounds(execute, subject, walks);
  const auto distances = analysis::reduce(latencies);
  std::vector<double> bytes;
  for (const Walk& walk : walks) bytes.push_back(static_cast<double>(walk.bytes));
  session.evidence(cache::key(level, "groessler2022"),
                   std::array{cache::column("bytes", bytes), cache::column("distance", distances)});
  const auto change = analysis::find_change_point(distances);
  const bool accepted = change && change->accepted;
  cache::publish_or(session, accepted,
                    {.key = key,
                     .value = accepted ? Value(walks[change->index - 1].bytes) : Value(nullptr),
                     .method = "groessler2022",
                     .confidence = unverified,
                     .samples = walks.size(),
                     .conditions = {{"ks_statistic", change ? change->statistic : 0.0},
                                    {"ks_critical", change ? change->critical : 0.0}},
                     .evidence = cache::key(level, "groessler2022")},
                    "the Kolmogorov-Smirnov test rejects the most likely change point");
}

}  // namespace tomograph::classical_methods
