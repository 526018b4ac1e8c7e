#include <algorithm>

#include "analysis_partition.hpp"
#include "level.hpp"
#include "tomograph/analysis/confidence.hpp"
#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::data_cache {

namespace {

std::vector<NamedArray> columns(const cache::Partitions& found) {
  std::vector<double> loader;
  std::vector<double> reader;
  std::vector<double> first;
  std::vector<double> second;
  for (const cache::FirstTouch& touch : found.matrix) {
    loader.push_back(static_cast<double>(touch.loader));
    reader.push_back(static_cast<double>(touch.reader));
    first.push_back(analysis::trimmed_mean(touch.first, 0));
    second.push_back(analysis::trimmed_mean(touch.second, 0));
  }
  return {cache::column("loader_sm", loader), cache::column("reader_sm", reader),
          cache::column("first_load_mean_cycles", first), cache::column("second_load_mean_cycles", second),
          cache::column("partition_by_sm", {found.of_sm.begin(), found.of_sm.end()})};
}

Fact latency_fact(const char* name, std::span<const double> sample) {
  const auto interval = analysis::median_interval(sample, confidence::median_interval);
  return {.key = name,
          .value = analysis::median(sample),
          .method = "first-touch",
          .confidence = std::min(confidence::median_interval, interval.coverage),
          .interval = Interval{interval.low - 0.5, interval.high + 0.5},
          .samples = sample.size(),
          .conditions = {{"statistic", "median"}},
          .evidence = "l2.partition.count"};
}

/// A far partition adds a good part of the latency (60 % on an H200); less than this is not looked for.
bool noise_hides(const cache::Partitions& found) {
  constexpr double least_share = 0.15;
  return found.undecided || (found.count == 1 && found.visible_distance > least_share * analysis::median(found.near));
}

}  // namespace

void find_partitions(const Session& session) {
  const auto sm_count = session.needed<std::int64_t>("device.sm_count");
  const cache::Subject subject = cache::subject_of(l2);
  const auto found = cache::partitions(cache::executor(session), subject, sm_count);
  session.evidence("l2.partition.count", columns(found));
  if (noise_hides(found)) {
    for (const char* fact :
         {"partition.count", "partition.of_sm", "partition.replicated", "latency.near", "latency.far"}) {
      session.inconclusive(cache::key(l2, fact), "latencies vary so much that a far partition may be hidden");
    }
    return;
  }
  session.publish({.key = "l2.partition.count",
                   .value = found.count,
                   .method = found.replicated ? "first-touch" : "near-lines",
                   .confidence = confidence::data_cache::partitions,
                   .samples = found.near.size() + found.far.size(),
                   .conditions = {{"replicated", found.replicated}},
                   .evidence = "l2.partition.count"});
  session.publish({.key = "l2.partition.of_sm",
                   .value = found.of_sm,
                   .method = found.replicated ? "first-touch" : "near-lines",
                   .confidence = confidence::data_cache::partitions,
                   .samples = found.near.size() + found.far.size(),
                   .evidence = "l2.partition.count"});
  session.publish({.key = "l2.partition.replicated",
                   .value = found.replicated,
                   .method = found.replicated ? "first-touch" : "near-lines",
                   .confidence = confidence::data_cache::partitions,
                   .samples = found.near.size() + found.far.size(),
                   .evidence = "l2.partition.count"});
  session.publish(latency_fact("l2.latency.near", found.near));
  if (found.far.empty()) return session.absent("l2.latency.far", "there is one partition: nothing is far");
  session.publish(latency_fact("l2.latency.far", found.far));
}

}  // namespace tomograph::data_cache
