#include "tomograph/plugin.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "levels.hpp"

namespace tomograph::sm_map {

namespace {

using Groups = std::vector<std::vector<std::int64_t>>;

constexpr const char* key = "sm.map";
constexpr const char* equal_latency = "l2.equal_latency.sm_groups";
constexpr const char* parallel_latency = "l2.parallel_latency.sm_groups";
constexpr const char* constant_cache = "constant_l15.sm_groups";
constexpr const char* second_tlb = "tlb.l2.sm_groups";
constexpr const char* partition_of_sm = "l2.partition.of_sm";

/// What the levels rest on, by fact.
struct Witnesses {
  Level tpc;
  Level cpc;
  Level gpc;
  std::optional<Level> tlb = {};
  std::optional<Level> partition = {};
};

/// How two witnesses contradict each other, or nothing.
std::optional<std::string> contradiction(const Witnesses& levels) {
  const auto check = [](const Level& inner, const char* inner_name, const Level& outer,
                        const char* outer_name) -> std::optional<std::string> {
    const auto sms = stray(inner, outer);
    if (!sms) return std::nullopt;
    return *sms + " are together in " + inner_name + ", but not in " + outer_name;
  };
  if (auto why = check(levels.tpc, equal_latency, levels.gpc, constant_cache)) return why;
  if (auto why = check(levels.tpc, equal_latency, levels.cpc, parallel_latency)) return why;
  if (levels.tlb) {
    if (auto why = check(levels.cpc, parallel_latency, *levels.tlb, second_tlb)) return why;
    if (auto why = check(*levels.tlb, second_tlb, levels.cpc, parallel_latency)) return why;
  }
  if (levels.partition) return check(levels.gpc, constant_cache, *levels.partition, partition_of_sm);
  return std::nullopt;
}

std::optional<Level> partitions(const Session& session, std::size_t sms) {
  const auto of_sm = session.fact<std::vector<std::size_t>>(partition_of_sm);
  if (!of_sm || of_sm->size() != sms) return std::nullopt;
  return renumbered(*of_sm);
}

/// The witnesses, if each names every SM.
std::optional<Witnesses> witnesses_of(const Session& session) {
  const auto equal = session.needed<Groups>(equal_latency);
  std::size_t sms = 0;
  for (const auto& group : equal) sms += group.size();
  const auto tpc = level_of(equal, sms);
  const auto parallel = level_of(session.needed<Groups>(parallel_latency), sms);
  const auto gpc = level_of(session.needed<Groups>(constant_cache), sms);
  if (!tpc || !parallel || !gpc) return std::nullopt;
  Witnesses witnesses{*tpc, common(*parallel, *gpc), *gpc};
  if (const auto tlb = session.fact<Groups>(second_tlb)) witnesses.tlb = level_of(*tlb, sms);
  witnesses.partition = partitions(session, sms);
  return witnesses;
}

/// The probability that all witnesses are right.
double confidence_of(const Session& session) {
  double product = 1;
  for (const char* fact : {equal_latency, parallel_latency, constant_cache, second_tlb, partition_of_sm}) {
    const auto record = session.fact_record(fact);
    if (record) product *= record->at("confidence").get<double>();
  }
  return product;
}

struct SmMap {
  static constexpr const char* id = "sm-map/map";
  static constexpr const char* question = "To which TPC, CPC, GPC and L2 partition does each SM belong?";
  static constexpr double time_budget = 10;
  static constexpr std::array needs{need(equal_latency), need(parallel_latency), need(constant_cache),
                                    optional_need(second_tlb), optional_need(partition_of_sm)};
  static constexpr std::array provides{
      declare::list(key, "", declare::per_device, "For each SM the numbers of its TPC, CPC, GPC and L2 partition")};
  static void run(const Session& session);
};

void SmMap::run(const Session& session) {
  const auto levels = witnesses_of(session);
  if (!levels) return session.inconclusive(key, "the groups of SMs do not name the same SMs");
  if (const auto why = contradiction(*levels)) return session.inconclusive(key, *why);
  Value rows = Value::list();
  for (std::size_t sm = 0; sm < levels->tpc.size(); ++sm) {
    Value row = Value::list(levels->tpc[sm], levels->cpc[sm], levels->gpc[sm]);
    if (levels->partition) row.push_back((*levels->partition)[sm]);
    rows.push_back(std::move(row));
  }
  const auto count = [](const Level& level) { return 1 + *std::ranges::max_element(level); };
  session.publish({.key = key,
                   .value = std::move(rows),
                   .method = "nested-groups",
                   .confidence = confidence_of(session),
                   .samples = levels->tpc.size(),
                   .conditions = {{"tpcs", count(levels->tpc)},
                                  {"cpcs", count(levels->cpc)},
                                  {"gpcs", count(levels->gpc)},
                                  {"witnesses_of_cpcs", levels->tlb ? 2 : 1}},
                   .source = TOMOGRAPH_DERIVED});
}

}  // namespace

}  // namespace tomograph::sm_map

TOMOGRAPH_PLUGIN("sm-map", "1.0.0", "Places of SMs on the chip, from what groups of them share",
                 tomograph::Models<tomograph::sm_map::SmMap>)
