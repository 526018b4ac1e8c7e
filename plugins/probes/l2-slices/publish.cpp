#include "publish.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "analysis_sms.hpp"
#include "tomograph/analysis/confidence.hpp"
#include "tomograph/analysis/median_fact.hpp"
#include "tomograph/cache/masks.hpp"
#include "tomograph/column.hpp"

namespace tomograph::l2_slices {

namespace {

constexpr const char* evidence = "l2.slices";
constexpr const char* both_methods = "latency-clusters+contention";

double rounded(double value) { return std::round(value * 10) / 10; }

/// Of eight runs each of an H100 and an H200, medians of rates were up to 1.009 times as large as others.
constexpr double from_run_to_run = 1.01;

/// What was measured, a curve for each table whose rows belong together.
void send_evidence(const Session& session, const Findings& findings) {
  const auto itself = [](auto value) { return value; };
  session.evidence(evidence, std::vector{column("line", findings.sample, itself),
                                         column("cluster", findings.clusters.of_line, itself)});
  session.evidence("l2.slices.page", std::vector{column("cluster", findings.page_clusters, itself)});
  std::vector<double> of_partitions;
  for (const auto& rates : findings.partition_rates) {
    of_partitions.insert(of_partitions.end(), rates.begin(), rates.end());
  }
  const auto in_brief = [](double rate) { return std::round(rate * 1e4) / 1e4; };  // a page shows thousands of them
  const auto keep = [&](const char* name, const std::vector<double>& rates) {
    if (!rates.empty()) session.evidence(name, std::vector{column("lines_per_cycle", rates, in_brief)});
  };
  keep("l2.slices.rates_within_clusters", findings.pair_rates);
  keep("l2.slices.rates_of_slices", findings.slice_pair_rates);
  keep("l2.slices.rates_of_groups", findings.group_rates);
  keep("l2.slices.rates_from_partitions", of_partitions);
}

/// Conditions that the facts share.
Value conditions_of(const Findings& findings) {
  return {{"clusters", findings.clusters.centers.size()},
          {"separation", rounded(std::min(findings.clusters.separation, 1e6))},
          {"noise_variance_ratio", rounded(findings.clusters.excess)},
          {"unclustered_lines", findings.clusters.unclustered()},
          {"stray_lines", findings.stray_lines},
          {"line_size", findings.line_size}};
}

/// The cluster of each slice, or each cluster if contention did not tell slices apart.
std::vector<std::size_t> columns_of(const Findings& findings, bool confirmed) {
  std::vector<std::size_t> clusters(findings.clusters.centers.size());
  std::iota(clusters.begin(), clusters.end(), std::size_t{0});
  if (!confirmed) return clusters;
  clusters.clear();
  for (const auto& slice : findings.slices) clusters.push_back(slice.cluster);
  return clusters;
}

void publish_matrix(const Session& session, const Findings& findings, bool confirmed) {
  const auto columns = columns_of(findings, confirmed);
  Value matrix = Value::list();
  for (std::size_t sm = 0; sm < findings.clusters.scatter.size(); ++sm) {
    Value row = Value::list();
    for (const std::size_t cluster : columns) row.push_back(rounded(findings.clusters.centers[cluster][sm]));
    matrix.push_back(std::move(row));
  }
  Value conditions = conditions_of(findings);
  conditions["in_any_order"] = "columns";
  session.publish({.key = "l2.latency_by_sm_and_slice",
                   .value = std::move(matrix),
                   .method = confirmed ? both_methods : "latency-clusters",
                   .confidence = confidence::from_error(false_alarm + (confirmed ? error_of(findings) : 0)),
                   .samples = findings.sample.size() * findings.clusters.scatter.size(),
                   .conditions = std::move(conditions),
                   .evidence = evidence});
}

void publish_sm_groups(const Session& session, const Findings& findings, const char* key, Difference difference) {
  const SmGroups found = sm_groups(findings.clusters, difference);
  if (!found.reason.empty()) return session.inconclusive(key, found.reason);
  Value groups = Value::list();
  for (const auto& sms : found.groups) groups.push_back(Value(sms));
  session.publish(
      {.key = key,
       .value = std::move(groups),
       .method = "latency-clusters",
       .confidence = confidence::from_error(3 * false_alarm + found.chance),  // of slices, pairs of SMs and splits
       .samples = findings.sample.size() * findings.clusters.scatter.size(),
       .conditions = conditions_of(findings),
       .evidence = evidence});
}

/// Slices that latencies do not tell apart share their lines evenly.
void publish_page(const Session& session, const Findings& findings) {
  std::vector<double> lines(findings.clusters.centers.size());
  std::vector<double> slices(lines.size());
  for (const int cluster : findings.page_clusters) {
    if (cluster != no_cluster) ++lines[static_cast<std::size_t>(cluster)];
  }
  for (const auto& slice : findings.slices) ++slices[slice.cluster];
  Value of_slices = Value::list();
  for (const auto& slice : findings.slices) of_slices.push_back(lines[slice.cluster] / slices[slice.cluster]);
  Value conditions = conditions_of(findings);
  conditions["lines"] = findings.page_clusters.size();
  conditions["unclustered_lines"] = std::ranges::count(findings.page_clusters, no_cluster);
  conditions["sms"] = findings.page_sms;
  conditions["in_any_order"] = "entries";
  session.publish({.key = "l2.page_lines_by_slice",
                   .value = std::move(of_slices),
                   .method = both_methods,
                   .confidence = confidence::from_error(false_alarm + error_of(findings)),
                   .samples = findings.page_clusters.size(),
                   .conditions = std::move(conditions),
                   .evidence = evidence});
}

void publish_size(const Session& session, const Findings& findings) {
  const auto record = session.fact_record("l2.size");
  if (!record) return session.inconclusive("l2.slice_size", "the size of L2 is not known");
  const auto slices = static_cast<double>(findings.slices.size());
  Fact fact{.key = "l2.slice_size",
            .value = static_cast<std::int64_t>(std::llround(record->at("value").get<double>() / slices)),
            .method = "size-over-slices",
            .confidence = confidence::not_negative(record->at("confidence").get<double>() - error_of(findings)),
            .samples = findings.sample.size(),
            .conditions = {{"slices", findings.slices.size()}},
            .evidence = evidence,
            .source = TOMOGRAPH_DERIVED};
  if (record->contains("interval")) {
    const auto bounds = record->at("interval").get<std::vector<double>>();
    fact.interval = Interval{bounds.front() / slices, bounds.back() / slices};
  }
  if (const auto nominal = session.fact<std::int64_t>("l2.nominal_size")) {
    fact.conditions["nominal"] = static_cast<double>(*nominal) / slices;
  }
  session.publish(fact);
}

const char* name(FunctionKind kind) {
  switch (kind) {
    case FunctionKind::xor_masks: return "xor-masks";
    case FunctionKind::remainder: return "masks-and-remainder";
    case FunctionKind::table: return "table";
  }
  return "";
}

/// The function of addresses, whose lowest bits tell the bytes of a line.
Value value_of(const SliceFunction& function, std::int64_t line_size) {
  const auto line = static_cast<std::uint64_t>(line_size);
  Value::Table value{{"kind", name(function.kind)}, {"parities", cache::mask_texts(function.masks, line)}};
  if (function.kind == FunctionKind::remainder) {
    value.emplace("number", cache::mask_texts(function.number.masks, line));
    value.emplace("divided_by", function.factor);
  }
  if (function.kind == FunctionKind::table) {
    value.emplace("parities_of_slices", cache::mask_texts(function.slice_masks, line));
  }
  return value;
}

void publish_function(const Session& session, const Findings& findings, const SureClusters& sure, bool by_contention) {
  constexpr const char* key = "l2.slice_function";
  const auto [function, reason] = slice_function_of(findings, sure, by_contention);
  if (!function) return session.inconclusive(key, reason);
  session.evidence(key, std::vector{column("cluster_of_entry", function->entries, [](auto value) { return value; })});
  Fact fact{.key = key,
            .value = value_of(*function, findings.line_size),
            .method = "fitted-and-tested",
            .confidence = confidence::from_error(false_alarm + (by_contention ? error_of(findings) : 0)),
            .samples = findings.page_clusters.size(),
            .conditions = {{"entries", function->entries.size()},
                           {"clusters", sure.count},
                           {"tested_lines", function->tested},
                           {"wrong_lines", function->wrong},
                           {"pages", function->pages}},
            .evidence = key};
  // Of the first page: others invert others, by their physical addresses, and runs may meet other pages.
  if (function->kind == FunctionKind::remainder) {
    fact.conditions["inverted_bits"] = cache::mask_texts(std::array{function->number.inverted}).elements().front();
  }
  session.publish(fact);
}

/// Each load of a slice's line takes a sector. A miss of L1 that fetches no more than the smallest known sector fetches
/// one, too; one that fetches more may fetch several.
void publish_bandwidth(const Session& session, const Findings& findings) {
  constexpr const char* key = "l2.bandwidth_per_slice";
  const auto record = session.fact_record("l1_data.fetch_granularity");
  if (!record) return session.inconclusive(key, "it is unknown how many bytes a load takes from L2");
  const auto bytes = record->at("value").get<std::int64_t>();
  constexpr std::int64_t smallest_sector = 32;  // of every known cache
  if (bytes > smallest_sector) {
    return session.inconclusive(key, "a miss of L1 takes " + std::to_string(bytes) +
                                         " B from L2, perhaps several sectors, of which these loads take one");
  }
  std::vector<double> rates = rates_of_a_slice(findings);
  for (double& rate : rates) rate *= static_cast<double>(bytes);
  Fact fact = analysis::median_fact(key, rates, evidence);
  analysis::widen(fact, from_run_to_run);
  fact.method = "contention";
  const double doubt = 1 - record->at("confidence").get<double>() + error_of(findings);
  fact.confidence = confidence::not_negative(fact.confidence - doubt);
  fact.conditions = {
      {"bytes_of_a_load", bytes},
      {"all_slices_together", rounded(fact.value.get<double>() * static_cast<double>(findings.slices.size()))}};
  session.publish(fact);
}

void publish_atomics(const Session& session, const Findings& findings) {
  Fact fact = analysis::median_fact("l2.atomics_per_slice", findings.atomic_rates, evidence);
  analysis::widen(fact, from_run_to_run);
  fact.method = "contention";
  fact.confidence = confidence::not_negative(fact.confidence - error_of(findings));
  fact.conditions = {
      {"all_slices_together", rounded(fact.value.get<double>() * static_cast<double>(findings.slices.size()))}};
  session.publish(fact);
}

/// The least number of slices. Where contention confirms all of them, it is theirs: clusters near each other come and
/// go from run to run.
void publish_bound(const Session& session, const Findings& findings, const SureClusters& sure, bool confirmed) {
  Value conditions = conditions_of(findings);
  conditions["apart_by"] = rounded(sure.separation);
  session.publish({.key = "l2.slices_at_least",
                   .value = confirmed ? findings.slices.size() : least_slices(findings, sure),
                   .method = confirmed ? both_methods : "latency-clusters",
                   .confidence = confidence::from_error(confirmed ? error_of(findings) : false_alarm),
                   .samples = findings.sample.size(),
                   .conditions = std::move(conditions),
                   .evidence = evidence});
}

}  // namespace

void leave_open(const Session& session, const std::string& reason) {
  for (const char* key :
       {"l2.slices", "l2.slices_at_least", "l2.slice_function", "l2.bandwidth_per_slice", "l2.atomics_per_slice",
        "l2.slice_size", "l2.page_lines_by_slice", "l2.latency_by_sm_and_slice", "l2.equal_latency.sm_groups",
        "l2.parallel_latency.sm_groups"}) {
    session.inconclusive(key, reason);
  }
}

void publish(const Session& session, const Findings& findings) {
  send_evidence(session, findings);
  if (const auto doubt = doubt_about_clusters(findings)) return leave_open(session, *doubt);
  publish_sm_groups(session, findings, "l2.equal_latency.sm_groups", Difference::none);
  publish_sm_groups(session, findings, "l2.parallel_latency.sm_groups", Difference::constant);
  const SureClusters sure = sure_clusters(findings.clusters);
  const auto why = disagreement(findings);
  publish_matrix(session, findings, !why);
  publish_function(session, findings, sure, !why);
  publish_bound(session, findings, sure, !why);
  if (why) {
    for (const char* key :
         {"l2.slices", "l2.slice_size", "l2.page_lines_by_slice", "l2.bandwidth_per_slice", "l2.atomics_per_slice"}) {
      session.inconclusive(key, *why);
    }
    return;
  }
  publish_bandwidth(session, findings);
  publish_atomics(session, findings);
  Value conditions = conditions_of(findings);
  conditions["groups_sharing_a_rate"] = findings.sharing().groups.size();
  session.publish({.key = "l2.slices",
                   .value = findings.slices.size(),
                   .method = both_methods,
                   .confidence = confidence::from_error(error_of(findings)),
                   .samples = findings.pair_rates.size() + findings.slice_pair_rates.size(),
                   .conditions = std::move(conditions),
                   .evidence = evidence});
  publish_page(session, findings);
  publish_size(session, findings);
}

}  // namespace tomograph::l2_slices
