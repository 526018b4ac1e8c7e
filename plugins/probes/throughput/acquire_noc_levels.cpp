#include <algorithm>
#include <map>
#include <utility>

#include "acquire_reads.hpp"
#include "acquire_streaming.hpp"
#include "analysis_noc.hpp"
#include "publish.hpp"
#include "questions.hpp"
#include "tomograph/analysis/confidence.hpp"
#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::throughput {

namespace {

constexpr const char* level_curve = "noc.bandwidth_by_level";
/// Groups of a level that are measured: enough for the median over them.
constexpr std::size_t most_groups = 8;

/// A level of the chip's hierarchy of SMs.
struct LevelOfSms {
  const char* key;
  const char* witness;  ///< the fact that tells which SMs form a group
  std::vector<Sms> (*groups)(const Session&);
};

/// SMs with the same number.
std::vector<Sms> grouped(const std::vector<std::size_t>& number_of_sm) {
  std::map<std::size_t, Sms> groups;
  for (std::size_t sm = 0; sm < number_of_sm.size(); ++sm) {
    groups[number_of_sm[sm]].push_back(static_cast<std::int64_t>(sm));
  }
  std::vector<Sms> list;
  for (auto& [number, sms] : groups) list.push_back(std::move(sms));
  return list;
}

std::vector<Sms> tpcs(const Session& session) {
  return session.fact<std::vector<Sms>>("l2.equal_latency.sm_groups").value_or(std::vector<Sms>{});
}

std::vector<Sms> cpcs(const Session& session) {
  std::vector<std::size_t> cpc_of_sm;
  for (const auto& places : session.fact<std::vector<std::vector<std::size_t>>>("sm.map").value_or(
           std::vector<std::vector<std::size_t>>{})) {
    cpc_of_sm.push_back(places.at(1));
  }
  return grouped(cpc_of_sm);
}

std::vector<Sms> gpcs(const Session& session) {
  return session.fact<std::vector<Sms>>("constant_l15.sm_groups").value_or(std::vector<Sms>{});
}

std::vector<Sms> partitions(const Session& session) {
  return grouped(session.fact<std::vector<std::size_t>>("l2.partition.of_sm").value_or(std::vector<std::size_t>{}));
}

constexpr LevelOfSms levels[] = {{"noc.bandwidth_per_tpc", "l2.equal_latency.sm_groups", tpcs},
                                 {"noc.bandwidth_per_cpc", "sm.map", cpcs},
                                 {"noc.bandwidth_per_gpc", "constant_l15.sm_groups", gpcs},
                                 {"noc.bandwidth_per_partition", "l2.partition.of_sm", partitions}};

/// Why groups are not those of the level; empty if nothing speaks against it.
std::string doubt_about(const Session& session, const LevelOfSms& level, const std::vector<Sms>& groups) {
  if (groups.empty()) {
    return std::string("it is unknown which SMs form a group, since ") + level.witness + " is not known";
  }
  const bool is_tpc_or_gpc = level.groups == tpcs || level.groups == gpcs;
  if (!is_tpc_or_gpc || nest(tpcs(session), gpcs(session))) return "";
  return "some SMs that are equally far from L2 share no constant L1.5: the ones form no TPC or the others no GPC";
}

/// Groups of a level, each read while all others are idle.
struct ReadLevel {
  const LevelOfSms& level;
  std::vector<Rates> groups;
};

void publish_level(const Session& session, const ReadLevel& read) {
  const auto& [level, groups] = read;
  const auto values = medians_over_groups(groups);
  const auto interval = analysis::median_interval(values, confidence::throughput::interval);
  const double doubt_about_groups = 1 - session.fact_record(level.witness)->at("confidence").get<double>();
  const auto by_median = [](const Rates& a, const Rates& b) { return a.median() < b.median(); };
  const auto [least, most] = std::ranges::minmax_element(groups, by_median);
  const std::size_t sms = groups.front().sms.size();
  Fact fact{.key = level.key,
            .value = analysis::median(values),
            .method = "streaming-by-level",
            .confidence = confidence::not_negative(interval.coverage - systematic_error - doubt_about_groups),
            .interval = Interval{interval.low, interval.high},
            .samples = groups.size() * values.size(),
            .conditions = {{"sms", sms},
                           {"groups", groups.size()},
                           {"least_of_groups", least->median()},
                           {"most_of_groups", most->median()}},
            .evidence = level_curve};
  if (const auto alone = session.fact<double>("noc.bandwidth_per_sm")) {
    fact.conditions["share_of_sms_alone"] = fact.value.get<double>() / (static_cast<double>(sms) * *alone);
  }
  publish_bandwidth(session, fact);
}

void send_evidence(const Session& session, const std::vector<ReadLevel>& reads) {
  std::vector<double> sms;
  std::vector<double> medians;
  for (const ReadLevel& read : reads) {
    for (const Rates& group : read.groups) {
      sms.push_back(static_cast<double>(group.sms.size()));
      medians.push_back(group.median());
    }
  }
  session.evidence(level_curve, std::vector{column("sms", sms), column("bytes_per_cycle", medians)});
}

}  // namespace

void find_noc_levels(const Session& session) {
  const auto l2 = l2_bytes(session);
  if (!l2) throw Skip("device", "the size of L2 is unknown");
  const Bounds bounds = bounds_of(session);
  const Execute execute = executor(session);
  std::vector<ReadLevel> reads;
  for (const LevelOfSms& level : levels) {
    const auto groups = level.groups(session);
    if (const std::string doubt = doubt_about(session, level, groups); !doubt.empty()) {
      session.inconclusive(level.key, doubt);
      continue;
    }
    const auto typical = typical_groups(groups, most_groups);
    // As much for each group as in throughput/noc for all SMs, so that it lies in several pages: which slices of L2 a
    // page uses differs from page to page. In one page, the SMs of a CPC of an H200 read at rates that differed by 5 %
    // from run to run, but hardly from CPC to CPC.
    const std::int64_t bytes_per_sm = *l2 / 3 / std::ssize(typical.front());
    try {
      reads.push_back({level, measure_until_precise(execute, choose(execute, typical, bytes_per_sm, bounds))});
    } catch (const Refused& refusal) {
      session.inconclusive(level.key, refusal.what());
    }
  }
  send_evidence(session, reads);
  for (const ReadLevel& read : reads) publish_level(session, read);
}

}  // namespace tomograph::throughput
