#include <algorithm>
#include <functional>
#include <string>

#include "acquire_tlb_comparison.hpp"
#include "publish.hpp"
#include "questions.hpp"
#include "tomograph/tlb/entries.hpp"
#include "tomograph/tlb/memory.hpp"

namespace tomograph::cache_sharing {

namespace {

std::string key(std::int64_t level, const char* name) { return "tlb.l" + std::to_string(level) + "." + name; }

std::int64_t free_bytes(const Session& session) {
  constexpr std::int64_t modest_bytes = std::int64_t{1} << 30;  // if no fact tells; too little leaves TLBs undecided
  const auto all = session.fact<std::int64_t>("dram.size").value_or(modest_bytes);
  const auto free = session.fact<std::int64_t>("dram.free").value_or(all);
  return free - free / 16;  // the rest is left to the driver
}

TlbFacts facts_about(const Session& session, std::int64_t level) {
  TlbFacts facts{.entries = session.needed<std::int64_t>(key(level, "entries")),
                 .entry_span = session.needed<std::int64_t>(key(level, "entry_span")),
                 .miss_penalty = session.needed<double>(key(level, "miss_penalty")),
                 .line_bytes = session.needed<std::int64_t>("l2.line_size"),
                 .room = free_bytes(session)};
  for (std::int64_t inner = 1; inner < level; ++inner) {
    facts.entries_before = std::max(facts.entries_before, session.needed<std::int64_t>(key(inner, "entries")));
    facts.span_before = std::max(facts.span_before, session.needed<std::int64_t>(key(inner, "entry_span")));
    facts.last_penalty_before = session.needed<double>(key(inner, "miss_penalty"));
    facts.penalty_before += facts.last_penalty_before;
  }
  return facts;
}

/// Groups of SMs that share the level, by the comparison that suits it.
analysis::Grouping grouped(TlbExperiment& experiment, std::int64_t sms) {
  if (experiment.layout().testers > 1) {
    CompareManyAtOnce many(experiment, sms);
    if (experiment.counter.is_clear()) return analysis::group(sms, std::ref(many), largest_error);
  }
  auto alone = analysis::all_alone(sms, CompareSplits(experiment));
  if (alone && alone->error <= largest_error) return *alone;
  // Testers that share evict some of each other's pages before anybody walks.
  experiment.counter.drop_objections();
  CompareOneByOne one(experiment);
  return analysis::group(sms, std::ref(one), largest_error);
}

/// Why groups may be one though a walk of one SM evicts no pages of another group's: longer walks may. Empty if they do
/// not, or if the device refuses them.
std::string joined_by_longer_walks(TlbExperiment& experiment, const analysis::Grouping& found) {
  Sms first_of_group;
  for (const auto& group : found.groups()) first_of_group.push_back(group.front());
  const auto sms_of = [&](Sms groups) {
    for (std::int64_t& group : groups) group = first_of_group[static_cast<std::size_t>(group)];
    return groups;
  };
  CompareSplits compare(experiment, enough_rounds);
  try {
    const auto apart = analysis::all_alone(found.count, [&](const analysis::Split& split) {
      return compare({sms_of(split.ones), sms_of(split.others)});
    });
    if (!apart) return "walks of several rounds evict pages of SMs that seem not to share";
    if (apart->error > largest_error)
      return "it is undecided whether walks of several rounds evict pages across groups";
    return {};
  } catch (const Refused&) {
    return {};  // recordings may not have them
  }
}

/// Why SMs that seem to share the level may have one each; empty if nothing speaks for it.
std::string objection_to_sharing(const Session& session, std::int64_t level, const TlbLayout& layout,
                                 const analysis::Grouping& found, std::int64_t sms) {
  const auto entries = session.fact<std::int64_t>(key(level + 1, "entries"));
  const auto span = session.fact<std::int64_t>(key(level + 1, "entry_span"));
  if (found.count == sms || !entries || !span || !walk_fills_next(layout, *entries, *span)) return {};
  return "walks that evict all of the level fill the next one, too, which may take entries of other SMs along";
}

/// Why SMs of different groups may share the level all the same; empty if nothing speaks for it.
std::string objection(const Session& session, std::int64_t level, TlbExperiment& experiment,
                      const analysis::Grouping& found) {
  if (found.count == 1) return {};
  const std::string seen = experiment.counter.objection();
  const bool is_lru = session.fact<std::string>(key(level, "replacement")) == "lru";  // one round evicts all
  return seen.empty() && !is_lru ? joined_by_longer_walks(experiment, found) : seen;
}

}  // namespace

void find_tlb_groups(const Session& session, std::int64_t level) {
  SmGroups facts{.groups_key = key(level, "sm_groups"),
                 .size_key = key(level, "sms_per_instance"),
                 .method = "eviction-between-sms",
                 .undecided = "it is undecided whether one evicts the other's pages"};
  const auto refuse = [&](const std::string& reason) {
    session.inconclusive(facts.groups_key, reason);
    session.inconclusive(facts.size_key, reason);
  };
  try {
    const TlbLayout layout = tlb_layout(facts_about(session, level));
    TlbExperiment experiment(session, layout);
    const auto sms = session.needed<std::int64_t>("device.sm_count");
    const auto found = grouped(experiment, sms);
    std::string reason = objection(session, level, experiment, found);
    if (reason.empty()) reason = objection_to_sharing(session, level, layout, found, sms);
    session.evidence(facts.groups_key, experiment.counter.columns());
    facts.samples = experiment.counter.tested();
    facts.most_confidence = tlb::resting_on_entries(session, level, facts.most_confidence);
    facts.conditions = {{"path", "global.cg"},
                        {"pages", layout.pages},
                        {"testers_at_once", layout.testers},
                        {"walked_pages", layout.walk}};
    if (!experiment.one_way.empty()) facts.conditions["evicts_one_way"] = experiment.one_way;
    reason.empty() ? publish(session, facts, found) : refuse(reason);
    tlb::give_memory_back(session);
  } catch (const NoLayout& none) {
    refuse(none.what());
  } catch (const Refused& refusal) {
    refuse(refusal.what());
  }
}

}  // namespace tomograph::cache_sharing
