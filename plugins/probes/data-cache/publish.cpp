#include "publish.hpp"

#include <algorithm>
#include <utility>

#include "questions.hpp"
#include "tomograph/analysis/confidence.hpp"
#include "tomograph/analysis/robust_statistics.hpp"
#include "tomograph/analysis/scatter.hpp"
#include "tomograph/column.hpp"

namespace tomograph::data_cache {

namespace {

std::vector<NamedArray> columns(const Partitions& found) {
  const auto& matrix = found.matrix;
  return {column("loader_sm", matrix, &FirstTouch::loader), column("reader_sm", matrix, &FirstTouch::reader),
          column("first_load_mean_cycles", matrix,
                 [](const FirstTouch& touch) { return analysis::trimmed_mean(touch.first, 0); }),
          column("second_load_mean_cycles", matrix,
                 [](const FirstTouch& touch) { return analysis::trimmed_mean(touch.second, 0); }),
          cache::column("partition_by_sm", {found.of_sm.begin(), found.of_sm.end()})};
}

/// A mean, since slices lie at different distances. Three standard errors: false alarm 2.7e-3 of a normal. The
/// clock counts by `clock` cycles.
Fact latency_fact(const char* name, std::span<const double> sample, double clock, double confidence) {
  const Mean loads = undelayed_mean(sample);
  const double reach = 3 * loads.error + clock;
  Value conditions = analysis::scatter_of(sample);
  conditions["statistic"] = "mean of loads that are not late";
  return {.key = name,
          .value = loads.mean,
          .method = "first-touch",
          .confidence = confidence,
          .interval = Interval{loads.mean - reach, loads.mean + reach},
          .samples = sample.size(),
          .conditions = std::move(conditions),
          .evidence = "l2.partition.count"};
}

}  // namespace

void publish(const Session& session, const Partitions& found) {
  session.evidence("l2.partition.count", columns(found));
  if (noise_hides_partitions(found)) {
    for (const char* fact :
         {"partition.count", "partition.of_sm", "partition.replicated", "latency.near", "latency.far"}) {
      session.inconclusive(cache::key(l2, fact), "latencies vary so much that a far partition may be hidden");
    }
    return;
  }
  Fact fact{.key = "l2.partition.count",
            .value = found.count,
            .method = found.replicated ? "first-touch" : "near-lines",
            .confidence = found.loses_lines ? confidence::data_cache::partitions_of_lost_lines
                                            : confidence::data_cache::partitions,
            .samples = found.near.size() + found.far.size(),
            .evidence = "l2.partition.count"};
  session.publish(fact);
  fact.key = "l2.partition.of_sm";
  fact.value = found.of_sm;
  session.publish(fact);
  fact.key = "l2.partition.replicated";
  fact.value = found.replicated;
  session.publish(fact);
  const double of_latencies = std::min(fact.confidence, confidence::median_interval);
  const double clock = clock_of(found.matrix.front());
  session.publish(latency_fact("l2.latency.near", found.near, clock, of_latencies));
  if (found.far.empty()) return session.absent("l2.latency.far", "there is one partition");
  session.publish(
      latency_fact("l2.latency.far", found.far, clock, std::min(of_latencies, confidence::data_cache::far_latency)));
}

}  // namespace tomograph::data_cache
