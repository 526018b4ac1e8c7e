#include <algorithm>
#include <bit>

#include "tomograph/analysis/confidence.hpp"
#include "tomograph/analysis/proportion.hpp"
#include "tomograph/cache/fill.hpp"
#include "tomograph/cache/questions.hpp"

namespace tomograph::cache {

namespace {

/// Other possible values: powers of two from one node to the bytes of a block of neighbouring nodes.
constexpr std::size_t alternatives = 7;

void publish_sector(const Session& session, const Level& level, const Fact& fetch) {
  Fact sector = fetch;
  sector.key = key(level, "sector_size");
  constexpr std::int64_t smallest_sector = 32;  // of every known cache
  if (fetch.value.get<std::int64_t>() > smallest_sector) {
    if (level.path != chase::Path::constant) {
      return session.inconclusive(sector.key, "a miss brings " + to_json(fetch.value) +
                                                  " B at once, and loads cannot tell how many sectors these are");
    }
    sector.confidence = std::min(sector.confidence, confidence::cache::sector_of_constants);
  }
  if (!level.above) return session.publish(sector);
  // Loads cannot tell how many sectors one fetch brings. The level before fetches at least one sector of this level, so
  // if both fetch granularities agree, a fetch from behind brings one sector, or both bring as many.
  const auto above = session.fact<std::int64_t>(key(**level.above, "fetch_granularity"));
  if (above && *above == fetch.value.get<std::int64_t>()) return session.publish(sector);
  session.inconclusive(
      sector.key, above ? "it is at least " + std::to_string(*above) + " B, which " + (*level.above)->name +
                              " fetches, and at most " + to_json(fetch.value) + " B, which come from " + level.next +
                              " at once"
                        : std::string("loads cannot tell how many sectors come from ") + level.next + " at once");
}

/// What told the granularity: distances of misses or, where a cache behind serves bytes between them, latencies.
std::vector<NamedArray> evidence_of(const Fill& fill, bool by_latency) {
  if (!by_latency) return {column("distance_B", {fill.distances.begin(), fill.distances.end()})};
  std::vector<double> behind;
  std::vector<double> latency;
  for (const auto& [bytes, cycles] : fill.hits_behind) {
    behind.insert(behind.end(), cycles.size(), static_cast<double>(bytes));
    latency.insert(latency.end(), cycles.begin(), cycles.end());
  }
  return {column("bytes_behind_miss", behind), column("latency", latency)};
}

}  // namespace

void find_fetch(const Session& session, const Level& level) {
  const auto subject = known_subject(session, level);
  const auto execute = executor(session, level);
  auto fill = level.shared   ? shared_fill(execute, subject, flush_bytes(session))
              : level.behind ? private_fill(execute, subject, *level.behind)
                             : cold_fill(execute, subject);
  // Loads of other levels may pass one before, of which hits are faster.
  const auto behind =
      fill && level.shared ? fill->served_behind(subject.threshold.cycles) : std::vector<std::int64_t>();
  if (!behind.empty()) fill->granularity = behind.front();
  if (!fill || !std::has_single_bit(static_cast<std::uint64_t>(fill->granularity))) {
    const char* reason = "first loads of neighbouring bytes miss in no regular distance";
    session.inconclusive(key(level, "fetch_granularity"), reason);
    return session.inconclusive(key(level, "sector_size"), reason);
  }
  session.evidence(key(level, "fetch_granularity"), evidence_of(*fill, !behind.empty()));
  const double surest = behind.empty() ? 1 : confidence::cache::fetch_before_another_cache;
  const Fact fetch{.key = key(level, "fetch_granularity"),
                   .value = fill->granularity,
                   .method = "first-walk-miss-distance",
                   .confidence = std::min(surest, analysis::confidence_from_agreement(
                                                      fill->agreeing, fill->distances.size(), alternatives)),
                   .samples = fill->distances.size(),
                   .evidence = key(level, "fetch_granularity")};
  session.publish(fetch);
  publish_sector(session, level, fetch);
}

}  // namespace tomograph::cache
