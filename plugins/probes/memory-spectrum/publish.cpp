#include "publish.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "tomograph/analysis/confidence.hpp"
#include "tomograph/analysis/robust_statistics.hpp"
#include "tomograph/analysis/scatter.hpp"
#include "tomograph/tlb/entries.hpp"

namespace tomograph::memory_spectrum {

namespace {

constexpr const char* evidence = "memory_spectrum";
constexpr std::int64_t most_levels = 3;  // of TLBs that facts have names for

double rounded(double value) { return std::round(value * 10) / 10; }

Value quantiles(std::span<const double> sample) {
  return {{"p01", rounded(analysis::quantile(sample, 0.01))},
          {"p25", rounded(analysis::quantile(sample, 0.25))},
          {"median", rounded(analysis::median(sample))},
          {"p75", rounded(analysis::quantile(sample, 0.75))},
          {"p95", rounded(analysis::quantile(sample, 0.95))},
          {"p99", rounded(analysis::quantile(sample, 0.99))},
          {"stdev", rounded(analysis::standard_deviation(sample))},
          {"statistic", "mean of loads that are not delayed"}};
}

/// The whole distribution, with the delayed loads.
Value distribution(std::span<const double> sample, const analysis::Delays& found) {
  Value result = quantiles(sample);
  result["late_share"] = std::round(found.late_share() * 1000) / 1000;
  if (!found.late.empty()) {
    result["late_median"] = rounded(analysis::median(found.late));
    result["late_p99"] = rounded(analysis::quantile(found.late, 0.99));
  }
  return result;
}

/// What was left out because memory keeps rows open.
void add_open_rows(Value& conditions, const Sample& sample) {
  if (sample.in_open_rows == 0) return;
  conditions["in_open_rows"] = sample.in_open_rows;
  conditions["row_block"] = sample.row_block;
}

/// A mean over lines.
Fact mean_fact(std::string key, double mean, const analysis::Interval& interval, std::size_t samples,
               Value conditions) {
  return {.key = std::move(key),
          .value = mean,
          .method = "non-uniform-stride-chase",
          .confidence = confidence::memory_spectrum::mean,
          .interval = Interval{interval.low, interval.high},
          .samples = samples,
          .conditions = std::move(conditions),
          .evidence = evidence};
}

/// Loads of P4 should hit the first TLB. One that nobody found may be missed now and then.
double resting_on_first_tlb(const Session& session, double claimed) {
  constexpr const char* key = "tlb.l1.miss_penalty";
  if (session.fact_record(key) || session.absence(key)) return claimed;
  return std::min(claimed, confidence::memory_spectrum::mean_beside_unknown_tlb);
}

/// Why a pattern has no loads, and whether the device cannot have any.
struct Obstacle {
  bool is_absence = false;
  std::string reason;
};

/// That a fact is not known, since the device does not have it or since nobody measured it.
Obstacle without(const Session& session, const std::string& key) {
  const auto absence = session.absence(key);
  return {absence.has_value(), absence ? *absence : key + " is not known"};
}

Obstacle obstacle(const Session& session, std::size_t pattern) {
  const auto shows = [&](const std::string& level) {
    return session.fact<double>(level + ".miss_penalty").has_value();
  };
  const auto counted = [&](const std::string& level) {
    return session.fact<std::int64_t>(level + ".entries") && session.fact<std::int64_t>(level + ".entry_span");
  };
  if (pattern == p6 && !shows("page_window")) return without(session, "page_window.miss_penalty");
  if (pattern == p6 && !session.fact<std::int64_t>("page_window.size")) {
    return {false, "the size of the page-table window is not known"};
  }
  if (!shows("tlb.l1")) return without(session, "tlb.l1.miss_penalty");
  if (pattern == p2 && !shows("tlb.l2")) return without(session, "tlb.l2.miss_penalty");
  for (const char* level : {"tlb.l1", "tlb.l2", "tlb.l3"}) {
    if (shows(level) && !counted(level)) return {false, std::string("the entries of ") + level + " are not known"};
  }
  if (pattern == p2) return {false, "the second TLB is hardly larger than the first"};
  return {false, "the available memory holds too few pages, or L2 cannot hold a line of each"};
}

/// Why loads that miss the data cache are not reliable; empty if they are. A clock that changes shows in P4, where page
/// walks do not differ from visit to visit; what disturbs P4 was also present during the loads of other patterns.
std::string unsteadiness(const Samples& samples) {
  for (const std::size_t number : past_data_cache) {
    if (samples.at(number).cycles.empty()) continue;
    const Latency found = latency_of(samples, number);
    if (found.is_steady()) return {};
    return std::string("loads of ") + patterns.at(number).name + " differ by " +
           std::to_string(std::lround(found.visits.deviation)) +
           " cycles between times or SMs, which is more than chance: the clock of the SM may have changed";
  }
  return {};
}

/// Why loads that miss the data cache do not tell the latency of memory; empty if they do. Near and far memory, of
/// several partitions, may lie at any distances.
std::string doubt_about_memory(const Session& session, const Samples& samples) {
  const auto partitions = session.fact<std::int64_t>("l2.partition.count");
  if (!partitions || *partitions > 1 || !are_served_at_two_depths(samples)) return unsteadiness(samples);
  return "some loads that miss L2 take less than half of the extra time of others: a cache behind L2 may serve them";
}

/// Whether loads of P4 surely take less than a hit of L2 and l2.miss_penalty, whose loads lie all over memory,
/// together.
bool finds_rows_open(const Session& session, const Samples& samples) {
  const auto penalty = session.fact_record("l2.miss_penalty");
  if (!penalty || !penalty->contains("interval") || samples[p1].cycles.empty()) return false;
  const Latency hit = latency_of(samples, p1);
  const Latency miss = latency_of(samples, p4);
  const double least =
      hit.loads.mean - hit.reach(hit.loads.error) + penalty->at("interval").get<std::vector<double>>().front();
  return miss.interval(miss.loads.mean, miss.loads.error).high < least;
}

std::string doubt_about(const Session& session, const Samples& samples, std::size_t number,
                        const std::string& past_l2) {
  const Sample& sample = samples.at(number);
  if (sample.overlaps_hits) return "noise hides which loads missed the data cache";
  // Fewer than a quarter: not what the chase is made for.
  if (sample.others > 3 * sample.cycles.size()) {
    return "of " + std::to_string(sample.others + sample.cycles.size()) + " loads, " + std::to_string(sample.others) +
           " hit or missed something else";
  }
  if (const double cycles = translation_in_p1(samples); cycles > 0 && (number == p1 || number == p4)) {
    return "loads that should hit the first TLB take " + std::to_string(std::lround(cycles)) +
           " cycles longer than the next ones in their sectors";
  }
  if (number == p4 && finds_rows_open(session, samples)) {
    return "loads take less than a hit and a miss of L2 together: most may have found their rows open";
  }
  if (is_first_visit(number) && sure_excess(samples, number) < 0) {
    return "first visits of pages take less than a miss of L2 and of all TLBs: some TLB remembers pages";
  }
  return std::ranges::count(past_data_cache, number) > 0 ? past_l2 : "";
}

/// Why loads of a pattern that should miss all TLBs may hit one: nobody knows whether there is a further one. Empty if
/// it is known.
std::string doubt_about_tlbs(const Session& session, std::size_t number) {
  for (const char* key : {"tlb.l2.miss_penalty", "tlb.l3.miss_penalty"}) {
    if (misses_every_tlb(number) && !session.fact_record(key) && !session.absence(key))
      return without(session, key).reason;
  }
  return {};
}

void publish_pattern(const Session& session, std::size_t number, const Samples& samples, const std::string& past_l2) {
  const Sample& sample = samples.at(number);
  const Pattern& pattern = patterns.at(number);
  const std::string key = std::string("memory_spectrum.") + pattern.name;
  if (sample.cycles.empty() && sample.others == 0) {
    const auto [is_absence, reason] = obstacle(session, number);
    return is_absence ? session.absent(key, reason) : session.inconclusive(key, reason);
  }
  if (const auto doubt = doubt_about(session, samples, number, past_l2); !doubt.empty()) {
    return session.inconclusive(key, doubt);
  }
  if (const auto doubt = doubt_about_tlbs(session, number); !doubt.empty()) return session.inconclusive(key, doubt);
  const Latency found = latency_of(samples, number);
  Value conditions = distribution(sample.cycles, found.loads);
  conditions["sms"] = found.sms;
  if (number < 3) {
    for (const double cycles : found.hits_by_sm) conditions["mean_by_sm"].push_back(rounded(cycles));
  }
  conditions["data_cache"] = std::string("L2 ") + pattern.data_cache;
  conditions["first_tlb"] = pattern.first_tlb;
  conditions["other_tlbs"] = pattern.other_tlbs;
  conditions["pages"] =
      is_first_visit(number) ? "visited for the first time in the program" : "visited before in the program";
  conditions["path"] = "global.cg";
  add_open_rows(conditions, sample);
  Fact fact = mean_fact(key, found.loads.mean, found.interval(found.loads.mean, found.loads.error),
                        sample.cycles.size(), std::move(conditions));
  // P2 misses the first level, P3 all of them.
  const std::int64_t missed_levels = number == p2 ? 1 : number == p3 ? most_levels : 0;
  fact.confidence = tlb::resting_on_entries(session, missed_levels, fact.confidence);
  // First visits that take longer than all parts may miss a level that P3 hits, since it holds more than the memory.
  if (misses_every_tlb(number) && sure_excess(samples, p5) > 0) {
    fact.confidence = std::min(fact.confidence, confidence::memory_spectrum::mean_beside_unknown_tlb);
  }
  if (number == p4) fact.confidence = resting_on_first_tlb(session, fact.confidence);
  session.publish(fact);
}

void publish_distance(const Session& session, const char* key, const analysis::Distance& distance,
                      const Latency& found) {
  Fact fact = mean_fact(key, distance.mean, found.interval(distance.mean, distance.error), distance.loads.size(),
                        quantiles(distance.loads));
  fact.confidence = resting_on_first_tlb(session, confidence::memory_spectrum::mean_of_distance);
  session.publish(fact);
}

/// Near and far memory form two clusters of the loads that miss L2 and hit the first TLB, at a finer resolution if need
/// be. That resolution was chosen on an H200.
void publish_distances(const Session& session, const Samples& samples, Latency found, const Fact& both) {
  const auto partitions = session.fact<std::int64_t>("l2.partition.count");
  const auto neither = [&](const std::string& reason) {
    for (const char* key : {"dram.latency.near", "dram.latency.far"}) session.inconclusive(key, reason);
  };
  if (!partitions) return neither("the number of L2 partitions is not known");
  if (*partitions < 2) {
    Fact near = both;
    near.key = "dram.latency.near";
    session.publish(near);
    return session.absent("dram.latency.far", "L2 has one partition, so no memory is far");
  }
  if (found.loads.distances.size() < 2) {
    found = latency_of(samples, p4, {.absolute = 5, .relative = 0.01, .min_weight = analysis::distant.min_weight});
  }
  const auto distances = near_and_far(found.loads.distances);
  if (!distances) return neither("near and far memory cannot be told apart");
  publish_distance(session, "dram.latency.near", distances->near, found);
  publish_distance(session, "dram.latency.far", distances->far, found);
}

void publish_dram(const Session& session, const Samples& samples, const std::string& past_l2) {
  const auto& cycles = samples[p4].cycles;
  const std::string doubt = cycles.empty() ? "loads of lines that were evicted from L2 take as long as hits"
                                           : doubt_about(session, samples, p4, past_l2);
  if (!doubt.empty()) {
    for (const char* key : {"dram.latency", "dram.latency.near", "dram.latency.far"}) session.inconclusive(key, doubt);
    return;
  }
  const Latency found = latency_of(samples, p4);
  Value conditions = distribution(cycles, found.loads);
  conditions["includes"] = "the way through L2, near and far memory, first TLB hit";
  add_open_rows(conditions, samples[p4]);
  Fact fact = mean_fact("dram.latency", found.loads.mean, found.interval(found.loads.mean, found.loads.error),
                        cycles.size(), std::move(conditions));
  fact.confidence = resting_on_first_tlb(session, fact.confidence);
  session.publish(fact);
  publish_distances(session, samples, found, fact);
}

}  // namespace

void publish(const Session& session, const Samples& samples) {
  std::vector<NamedArray> columns;
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    columns.push_back({std::string(patterns.at(i).name) + "_cycles", samples.at(i).cycles});
    columns.push_back({std::string(patterns.at(i).name) + "_sm", samples.at(i).sm});
    columns.push_back({std::string(patterns.at(i).name) + "_program", samples.at(i).program});
  }
  session.evidence(evidence, columns);
  const std::string past_l2 = doubt_about_memory(session, samples);
  for (std::size_t i = 0; i < patterns.size(); ++i) publish_pattern(session, i, samples, past_l2);
  publish_dram(session, samples, past_l2);
}

}  // namespace tomograph::memory_spectrum
