#include "tomograph/cache/line.hpp"

#include <algorithm>

#include "tomograph/analysis/confidence.hpp"
#include "tomograph/cache/capacity.hpp"
#include "tomograph/cache/questions.hpp"
#include "tomograph/column.hpp"

namespace tomograph::cache {

namespace {

std::vector<NamedArray> columns(const Line& line) {
  const auto& pairs = line.pairs;
  return {tomograph::column("distance_B", pairs, &PairCount::distance),
          tomograph::column("pairs", pairs, &PairCount::pairs),
          tomograph::column("evicted_apart", pairs, &PairCount::apart),
          tomograph::column("evicted", pairs, &PairCount::evicted),
          tomograph::column("unclear", pairs, &PairCount::unclear)};
}

}  // namespace

void find_line(const Session& session, const Level& level) {
  const auto execute = executor(session, level);
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
  if (line.is_unclear()) {
    return session.inconclusive(key(level, "line_size"),
                                "the threshold between hits and misses cuts a mode of the latencies, and may misread "
                                "as many loads as tell the line");
  }
  if (const auto together = line.farther_together(*capacity)) {
    return session.inconclusive(key(level, "line_size"), "blocks " + std::to_string(*together) +
                                                             " B apart are evicted together, though blocks " +
                                                             std::to_string(*line.bytes) + " B apart are not");
  }
  std::uint64_t pairs = 0;
  for (const PairCount& count : line.pairs) pairs += static_cast<std::uint64_t>(count.pairs);
  // Within a short reach, intruders that must pass another level cannot lie at random places: lines that the index puts
  // into the same sets may be evicted together.
  const bool in_bands = level.reach && level.above;
  // A cache behind L2 that makes the granularity doubtful makes misses of L2 look like hits here, too.
  const double of_granularity = session.fact_record(key(level, "fetch_granularity"))->at("confidence").get<double>();
  const double of_pairs = std::min(confidence::from_error(chance_of_agreement(line)), of_granularity);
  const double confidence = std::min(of_pairs, in_bands ? confidence::cache::line_in_bands : 1);
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
