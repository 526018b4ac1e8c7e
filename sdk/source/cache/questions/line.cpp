#include "tomograph/cache/line.hpp"

#include <algorithm>

#include "tomograph/analysis/confidence.hpp"
#include "tomograph/analysis/proportion.hpp"
#include "tomograph/cache/capacity.hpp"
#include "tomograph/cache/questions.hpp"

namespace tomograph::cache {

namespace {

std::vector<NamedArray> columns(const Line& line) {
  std::vector<double> distance;
  std::vector<double> pairs;
  std::vector<double> apart;
  std::vector<double> evicted;
  for (const PairCount& count : line.pairs) {
    distance.push_back(static_cast<double>(count.distance));
    pairs.push_back(static_cast<double>(count.pairs));
    apart.push_back(static_cast<double>(count.apart));
    evicted.push_back(static_cast<double>(count.evicted));
  }
  return {column("distance_B", distance), column("pairs", pairs), column("evicted_apart", apart),
          column("evicted", evicted)};
}

}  // namespace

void find_line(const Session& session, const Level& level) {
  const auto execute = executor(session);
  const auto subject = known_subject(session, level);
  const auto granularity = session.needed<std::int64_t>(key(level, "fetch_granularity"));
  const auto [start, limit] = search_range(session, level);
  const auto capacity = rough_capacity(execute, subject, granularity, start, limit);
  if (!capacity) return session.inconclusive(key(level, "line_size"), "no footprint was too large for the cache");
  const auto line = evicted_together(execute, subject, granularity, *capacity);
  session.evidence(key(level, "line_size"), columns(line));
  if (!line.bytes) {
    return session.inconclusive(key(level, "line_size"), "neighbouring blocks were never seen to be evicted apart");
  }
  std::uint64_t pairs = 0;
  for (const PairCount& count : line.pairs) pairs += static_cast<std::uint64_t>(count.pairs);
  // Within a short reach, intruders that must pass another level cannot lie at random places: lines that the index puts
  // into the same sets may be evicted together.
  const bool in_bands = level.reach && level.above;
  const double confidence =
      std::min(confidence::from_error(chance_of_agreement(line)), in_bands ? confidence::cache::line_in_bands : 1);
  publish_or(session, confidence >= confidence::cache::line_least,
             {.key = key(level, "line_size"),
              .value = *line.bytes,
              .method = "evicted-together",
              .confidence = confidence,
              .samples = pairs,
              .evidence = key(level, "line_size")},
             "too few evictions to tell blocks of one line from blocks of two");
}

}  // namespace tomograph::cache
