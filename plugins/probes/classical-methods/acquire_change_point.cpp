#include "acquire_walks.hpp"
#include "analysis_change_point.hpp"
#include "questions.hpp"
#include "tomograph/analysis/change_point.hpp"

namespace tomograph::classical_methods {
namespace {

bool misses(const cache::Executor& execute, const cache::Subject& subject, std::int64_t bytes) {
  return shows_misses(second_rounds(execute, subject, std::array{Walk{bytes}}).front(), subject.threshold.cycles);
}

/// Doubles from 1 KiB until there are misses, then bisects until the region is an eighth of its lower boundary.
std::optional<Region> search(const cache::Executor& execute, const cache::Subject& subject, std::int64_t limit) {
  Region region{0, 1024};
  while (!misses(execute, subject, region.high)) {
    if (region.high > limit) return std::nullopt;
    region = {region.high, 2 * region.high};
  }
  while (!region.is_narrow()) {
    const std::int64_t middle = (region.low + region.high) / 2;
    (misses(execute, subject, middle) ? region.high : region.low) = middle;
  }
  return region;
}

}  // namespace

void follow_groessler(const Session& session, const cache::Level& level) {
  const cache::Executor execute = cache::executor(session);
  const cache::Subject subject = cache::known_subject(session, level);
  const std::string key = cache::key(level, "size");
  const auto region = search(execute, subject, cache::search_range(session, level).limit);
  if (!region) return session.inconclusive(key, "no size within reach shows a miss in its second round");

  const std::vector<std::int64_t> sizes = region->sizes();
  std::vector<Walk> walks;
  for (const std::int64_t bytes : sizes) walks.push_back({bytes});
  const auto latencies = second_rounds(execute, subject, walks);
  const auto distances = analysis::reduce(latencies);
  session.evidence(cache::key(level, "groessler2022"), std::array{cache::column("bytes", {sizes.begin(), sizes.end()}),
                                                                  cache::column("distance", distances)});
  const auto change = analysis::find_change_point(distances);
  const bool accepted = change && change->accepted;
  cache::publish_or(session, accepted,
                    {.key = key,
                     .value = accepted ? Value(sizes[change->index - 1]) : Value(nullptr),
                     .method = "groessler2022",
                     .confidence = unverified,
                     .samples = walks.size(),
                     .conditions = {{"ks_statistic", change ? change->statistic : 0.0},
                                    {"ks_critical", change ? change->critical : 0.0}},
                     .evidence = cache::key(level, "groessler2022")},
                    "the Kolmogorov-Smirnov test rejects the most likely change point");
}

}  // namespace tomograph::classical_methods
