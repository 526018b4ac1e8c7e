#include <algorithm>
#include <utility>

#include "publish.hpp"
#include "tomograph/analysis/confidence.hpp"
#include "tomograph/column.hpp"

namespace tomograph::tma {

namespace {

constexpr const char* throughput_evidence = "tma.throughput";

Fact throughput_fact(const char* key, Value value, double confidence) {
  return {.key = key,
          .value = std::move(value),
          .method = "best-of-surface",
          .confidence = confidence,
          .samples = throughput_trials,
          .evidence = throughput_evidence};
}

void publish_bandwidths(const Session& session, const ThroughputKind& kind, std::vector<Bandwidth> best) {
  if (kind.direction == Direction::store)
    std::erase_if(best, [](const Bandwidth& one) { return !is_long(one.request); });
  Value rows = Value::list();
  for (const Bandwidth& one : best) rows.push_back(Value::list(one.request.tile, one.value));
  session.publish(throughput_fact(kind.by_tile_key, rows, confidence::hopper::measured));
  if (*kind.key == '\0') return;
  const Bandwidth& most = *std::ranges::max_element(best, {}, &Bandwidth::dependable);
  Fact fact = throughput_fact(kind.key, most.value, confidence::hopper::measured);
  fact.interval = most.interval;
  fact.conditions = {
      {"tile", most.request.tile}, {"stages", most.request.stages}, {"ctas_per_sm", most.request.ctas_per_sm}};
  session.publish(fact);
}

void publish_tile(const Session& session, const char* key, std::int64_t tile, Value conditions) {
  Fact fact = throughput_fact(key, tile, confidence::hopper::compared);
  fact.conditions = std::move(conditions);
  session.publish(fact);
}

}  // namespace

void keep_curve(const Session& session, const std::vector<Candidate>& candidates) {
  const auto number = [&](const char* name, auto field) {
    return column(name, candidates,
                  [field](const Candidate& one) { return static_cast<std::int64_t>(one.request.*field); });
  };
  session.evidence(
      throughput_evidence,
      std::vector{number("method", &ThroughputRequest::method), number("direction", &ThroughputRequest::direction),
                  number("region_bytes", &ThroughputRequest::region), number("tile_bytes", &ThroughputRequest::tile),
                  number("stages", &ThroughputRequest::stages), number("ctas_per_sm", &ThroughputRequest::ctas_per_sm),
                  column("bytes_per_second", candidates, [](const Candidate& one) { return one.value; })});
}

void publish(const Session& session, const std::vector<std::vector<Bandwidth>>& best) {
  // The definition of tma.saturating_tile: nine tenths of the highest bandwidth.
  constexpr double saturated = 0.9;
  // Share by which the TMA may be slower than threads and still win. Chosen on an H200.
  constexpr double tie = 0.03;
  for (std::size_t kind = 0; kind < throughput_kinds.size(); ++kind) {
    publish_bandwidths(session, throughput_kinds[kind], best[kind]);
  }
  publish_tile(session, "tma.saturating_tile", saturating_tile(by_tile(best[bulk_from_memory]), saturated),
               {{"reaches", saturated}, {"stages_and_ctas", "as many as it takes"}});
  const std::vector others{by_tile(best[cp_async_from_l2]), by_tile(best[plain_from_l2])};
  const auto from = winning_from(by_tile(best[bulk_from_l2]), others, tie);
  if (!from) return session.absent("tma.winning_tile", "threads load the largest tiles faster than the TMA");
  publish_tile(session, "tma.winning_tile", *from,
               {{"others", "128 threads with cp.async or loads of 16 B"},
                {"smallest_tried", row_bytes},
                {"global_memory", "in the L2"}});
}

void publish(const Session& session, const std::map<std::int64_t, std::vector<ByTile>>& by_ctas,
             const std::vector<Bandwidth>& best) {
  constexpr const char* key = "tma.saturating_tile_by_ctas";
  // The definition of this fact: the share of the highest bandwidth that few CTAs must reach.
  constexpr double saturated = 0.85;
  const double most = std::ranges::max(by_tile(best), {}, &ByTile::value).value;
  Value rows = Value::list();
  Value intervals = Value::list();
  for (const SaturatingTile& one : saturating_by_ctas(by_ctas, most, saturated)) {
    rows.push_back(Value::list(one.ctas, one.tile));
    intervals.push_back(Value::list(one.interval.low, one.interval.high));
  }
  if (rows.elements().empty()) {
    return session.inconclusive(key, "for no number of CTAs does the saturating tile lie between two measured tiles");
  }
  Fact fact = throughput_fact(key, rows, confidence::hopper::compared);
  fact.conditions = {{"reaches", saturated}, {"stages", "up to 8"}, {"intervals", intervals}};
  session.publish(fact);
}

}  // namespace tomograph::tma
