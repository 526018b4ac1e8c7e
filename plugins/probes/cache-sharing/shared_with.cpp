#include <algorithm>
#include <cmath>
#include <map>

#include "instructions.hpp"
#include "relation.hpp"
#include "tomograph/analysis/confidence.hpp"
#include "tomograph/analysis/proportion.hpp"
#include "view.hpp"

namespace tomograph::cache_sharing {

namespace {

/// What the owner fills and what the rival walks, as shares of the capacity. Several, since which lines go depends on
/// the replacement policy and on how evenly the index spreads lines: half and twice evicts under any policy, the
/// second is that of Größler 2022 (section 4.5), a little less than either cache holds.
struct Level {
  double fill;
  double walk;
};
constexpr std::array levels{Level{0.5, 2}, Level{0.875, 0.875}, Level{0.5, 1}};

/// A view whose facts are known.
struct Participant {
  View view;
  cache::Party party;
};

struct Pair {
  std::size_t owner;
  std::size_t rival;
};

/// Counts of one pair at one level: lines gone after an idle rival, after the owner's own walk, after the rival's walk.
struct Counts {
  Pair pair{};
  std::size_t level = 0;
  std::int64_t fill_bytes = 0;
  std::int64_t walk_bytes = 0;
  analysis::EventCount idle = {};
  analysis::EventCount own = {};
  analysis::EventCount rival = {};
};

std::vector<Participant> participants(const Session& session) {
  std::vector<Participant> known;
  for (const View& view : views) {
    if (const auto party = known_party(session, view)) known.push_back({view, *party});
  }
  return known;
}

std::vector<Pair> ordered_pairs(std::size_t count) {
  std::vector<Pair> pairs;
  for (std::size_t owner = 0; owner < count; ++owner) {
    for (std::size_t rival = 0; rival < count; ++rival) {
      if (owner != rival) pairs.push_back({owner, rival});
    }
  }
  return pairs;
}

std::int64_t share(double part, std::int64_t bytes) {
  return static_cast<std::int64_t>(std::lround(part * static_cast<double>(bytes)));
}

/// As many trials as it takes to test some 64 lines, of which a small cache has few at a time.
std::int64_t trials_of(const cache::Party& owner) {
  constexpr std::int64_t lines_wanted = 512;
  return std::clamp<std::int64_t>(lines_wanted * owner.line_bytes / owner.size, 4, 32);
}

/// The three contests of one pair at one level.
std::array<cache::Contest, 3> contests_of(const cache::Party& owner, const cache::Party& rival, const Level& level) {
  const std::int64_t fill = share(level.fill, owner.size);
  const std::int64_t wanted = share(level.walk, std::max(owner.size, rival.size));
  const std::int64_t walk = cache::common_walk(owner, rival, fill, wanted);
  cache::Contest contest{.owner = owner, .rival = rival, .fill_bytes = fill, .walk_bytes = walk};
  cache::Contest idle = contest;
  idle.idle = true;
  cache::Contest own = contest;
  own.rival = owner;
  own.walk_bytes = cache::common_walk(owner, owner, fill, walk);
  return {idle, own, contest};
}

/// One batch per trial: pairs that need fewer trials drop out.
std::vector<Counts> count_evictions(const Session& session, std::span<const Participant> known) {
  std::vector<Counts> counts;
  for (std::size_t level = 0; level < levels.size(); ++level) {
    for (const Pair& pair : ordered_pairs(known.size())) counts.push_back({.pair = pair, .level = level});
  }
  const auto execute = executor(session);
  for (std::int64_t trial = 0;; ++trial) {
    std::vector<cache::Contest> contests;
    std::vector<Counts*> counted;
    for (Counts& one : counts) {
      const cache::Party& owner = known[one.pair.owner].party;
      if (trial >= trials_of(owner)) continue;
      const auto three = contests_of(owner, known[one.pair.rival].party, levels[one.level]);
      contests.insert(contests.end(), three.begin(), three.end());
      counted.push_back(&one);
      one.fill_bytes = three[2].fill_bytes;
      one.walk_bytes = three[2].walk_bytes;
    }
    if (contests.empty()) return counts;
    const auto seen = cache::contend(execute, contests, static_cast<std::uint64_t>(trial + 1));
    for (std::size_t i = 0; i < counted.size(); ++i) {
      counted[i]->idle += seen[3 * i];
      counted[i]->own += seen[3 * i + 1];
      counted[i]->rival += seen[3 * i + 2];
    }
  }
}

/// Directions by owner and rival.
using Directions = std::map<std::pair<std::size_t, std::size_t>, Direction>;

/// Lines of one path that another one finds, between paths to global memory.
void add_found(const Session& session, std::span<const Participant> known, Directions& directions) {
  std::vector<std::pair<cache::Party, cache::Party>> loader_and_reader;
  std::vector<Direction*> wanted;
  for (const Pair& pair : ordered_pairs(known.size())) {
    const Participant& owner = known[pair.owner];
    const Participant& rival = known[pair.rival];
    const bool global = chase::space_of(owner.view.path) == chase::Space::global &&
                        chase::space_of(rival.view.path) == chase::Space::global;
    if (!global) continue;
    loader_and_reader.emplace_back(rival.party, owner.party);
    wanted.push_back(&directions[{pair.owner, pair.rival}]);
  }
  for (std::uint64_t trial = 0; trial < 4; ++trial) {
    const auto seen = cache::find_lines(executor(session), loader_and_reader, chase::Path::global_cg, trial);
    for (std::size_t i = 0; i < seen.size(); ++i) {
      auto evidence = analysis::effect_evidence(seen[i].nobody, seen[i].own, seen[i].loader);
      if (!wanted[i]->found) wanted[i]->found = analysis::EffectEvidence{};
      *wanted[i]->found += evidence;
    }
  }
}

std::vector<NamedArray> columns(std::span<const Counts> counts) {
  const auto column = [&](const char* name, const auto& value) {
    std::vector<double> values;
    for (const Counts& one : counts) values.push_back(static_cast<double>(value(one)));
    return NamedArray{name, std::move(values)};
  };
  return {column("owner", [](const Counts& c) { return c.pair.owner; }),
          column("rival", [](const Counts& c) { return c.pair.rival; }),
          column("fill_B", [](const Counts& c) { return c.fill_bytes; }),
          column("walk_B", [](const Counts& c) { return c.walk_bytes; }),
          column("tested", [](const Counts& c) { return c.rival.tests; }),
          column("missed_after_idle_rival", [](const Counts& c) { return c.idle.events; }),
          column("missed_after_own_walk", [](const Counts& c) { return c.own.events; }),
          column("missed_after_rivals_walk", [](const Counts& c) { return c.rival.events; })};
}

/// The verdicts on all pairs, and what follows for each participant.
class Relations {
 public:
  Relations(std::span<const Participant> known, const Directions& directions) : known_(known) {
    for (const Pair& pair : ordered_pairs(known.size())) {
      verdicts_[{pair.owner, pair.rival}] =
          relation(directions.at({pair.owner, pair.rival}), directions.at({pair.rival, pair.owner}));
    }
  }

  /// Why nothing can be said about `one`, or nothing.
  [[nodiscard]] std::string doubt(std::size_t one) const {
    for (std::size_t other = 0; other < known_.size(); ++other) {
      if (other == one) continue;
      const Verdict& verdict = verdicts_.at({one, other});
      if (verdict.relation == Relation::undecided) {
        return std::string("whether it is ") + known_[other].view.prefix + ": " + verdict.reason;
      }
      for (std::size_t third = 0; third < known_.size(); ++third) {
        if (contradicts(one, other, third)) {
          return std::string(known_[other].view.prefix) + " and " + known_[third].view.prefix +
                 " evict each other's lines, but only one of them evicts those of " + known_[one].view.prefix;
        }
      }
    }
    return "";
  }

  [[nodiscard]] Fact fact(std::size_t one) const {
    Fact fact{.key = key(known_[one].view, "shared_with"),
              .value = Value::list(),
              .method = "eviction-between-paths",
              .conditions = {{"compared_with", Value::list()}},
              .evidence = "shared_with"};
    double error = 0;
    for (std::size_t other = 0; other < known_.size(); ++other) {
      if (other == one) continue;
      const Verdict& verdict = verdicts_.at({one, other});
      error += verdict.error;
      fact.conditions["compared_with"].push_back(known_[other].view.prefix);
      if (verdict.relation == Relation::same) fact.value.push_back(known_[other].view.prefix);
    }
    fact.conditions["error_rate"] = error;
    fact.confidence = confidence::from_error(error);
    return fact;
  }

 private:
  /// Being the same cache is transitive.
  [[nodiscard]] bool contradicts(std::size_t one, std::size_t other, std::size_t third) const {
    if (third == one || third == other) return false;
    return same(other, third) && same(one, other) != same(one, third);
  }
  [[nodiscard]] bool same(std::size_t a, std::size_t b) const {
    return verdicts_.at({a, b}).relation == Relation::same;
  }

  std::span<const Participant> known_;
  std::map<std::pair<std::size_t, std::size_t>, Verdict> verdicts_;
};

constexpr const char* instructions_l1 = "instruction_l1";
constexpr const char* instructions_l15 = "instruction_l15";

/// Adds what was found out about instructions. @return why it is not known, or nothing.
std::string add_code(Fact& fact, const CodeSharing& code, const char* name) {
  if (code.verdict.relation == Relation::undecided)
    return std::string("whether it is ") + name + ": " + code.verdict.reason;
  if (code.verdict.relation == Relation::same) fact.value.push_back(name);
  const double error = fact.conditions.value("error_rate", 0.0) + code.verdict.error;
  fact.conditions["compared_with"].push_back(name);
  fact.conditions["error_rate"] = error;
  fact.confidence = confidence::from_error(error);
  fact.samples += code.samples;
  return "";
}

/// The same for the first level of constant caches, beside what is known of other paths. A device that does not time
/// instructions leaves them out.
std::string add_code(const Session& session, const Participant& constant, Fact& fact) {
  const auto reach = session.fact<std::int64_t>("constant_memory.reach");
  if (!reach) return "";
  const cache::Party& party = constant.party;
  try {
    const auto code = sharing_with_code(
        session, {.size = party.size, .line_bytes = party.line_bytes, .threshold = party.subject.threshold.cycles},
        *reach);
    session.evidence(fact.key, code.evidence);
    return add_code(fact, code, instructions_l1);
  } catch (const Refused& refused) {
    if (refused.status != TOMOGRAPH_UNSUPPORTED) throw;
    fact.conditions["not_compared"] = {{instructions_l1, refused.what()}};
    return "";
  }
}

std::string nobody_to_share_with(const Fact& fact) {
  const std::string reason = "there is no other cache to share with";
  if (!fact.conditions.contains("not_compared")) return reason;
  const auto& [name, why] = *fact.conditions.at("not_compared").entries().begin();
  return reason + ", as far as can be told: " + why.get<std::string>();
}

/// The second level of constant caches and instructions.
CodeSharing second_level_sharing(const Session& session) {
  const ConstantLevel second{.size = session.needed<std::int64_t>("constant_l15.size"),
                             .line_bytes = session.needed<std::int64_t>("constant_l15.line_size"),
                             .threshold = session.needed<double>("constant_l15.hit_threshold"),
                             .before = session.needed<double>("constant_l1.hit_threshold"),
                             .size_before = session.needed<std::int64_t>("constant_l1.size")};
  try {
    return sharing_with_code(session, second, session.needed<std::int64_t>("constant_memory.reach"));
  } catch (const Refused& refused) {
    if (refused.status != TOMOGRAPH_UNSUPPORTED) throw;
    throw Skip("device", refused.what());
  }
}

}  // namespace

void find_constant_sharing(const Session& session) {
  const CodeSharing code = second_level_sharing(session);
  session.evidence("constant_l15.shared_with", code.evidence);
  Fact fact{.key = "constant_l15.shared_with",
            .value = Value::list(),
            .method = "eviction-between-constants-and-instructions",
            .conditions = {{"compared_with", Value::list()}},
            .evidence = "constant_l15.shared_with"};
  const std::string doubt = add_code(fact, code, instructions_l15);
  if (!doubt.empty()) return session.inconclusive(fact.key, doubt);
  session.publish(fact);
}

void find_sharing(const Session& session) {
  const auto known = participants(session);
  // A cache that nobody could make out may be the same one as any other.
  std::string unknown;
  for (const View& view : views) {
    if (const auto missing = missing_fact(session, view)) unknown = *missing;
  }
  for (const View& view : views) {
    const auto is_view = [&](const Participant& one) { return one.view.path == view.path; };
    if (std::ranges::any_of(known, is_view)) continue;
    if (const auto missing = missing_fact(session, view)) {
      session.inconclusive(key(view, "shared_with"), *missing + " is not known");
    } else {
      session.absent(key(view, "shared_with"), "there is no cache of these loads");
    }
  }
  if (known.empty()) return;
  if (known.size() == 1 && known.front().view.path != chase::Path::constant) {
    const std::string only = key(known.front().view, "shared_with");
    if (!unknown.empty()) return session.inconclusive(only, unknown + " is not known");
    return session.absent(only, "there is no other cache to share with");
  }
  const auto counts = count_evictions(session, known);
  Directions directions;
  std::uint64_t samples = 0;
  for (const Counts& one : counts) {
    directions[{one.pair.owner, one.pair.rival}].evicted += analysis::effect_evidence(one.idle, one.own, one.rival);
    samples += one.rival.tests;
  }
  add_found(session, known, directions);
  session.evidence("shared_with", columns(counts));
  const Relations relations(known, directions);
  for (std::size_t i = 0; i < known.size(); ++i) {
    Fact fact = relations.fact(i);
    fact.samples = samples;
    std::string doubt = relations.doubt(i);
    if (doubt.empty() && !unknown.empty()) doubt = "whether it is a cache of which " + unknown + " is not known";
    if (doubt.empty() && known[i].view.path == chase::Path::constant) doubt = add_code(session, known[i], fact);
    if (doubt.empty() && fact.conditions["compared_with"].empty()) {
      session.absent(fact.key, nobody_to_share_with(fact));
    } else if (doubt.empty()) {
      session.publish(fact);
    } else {
      session.inconclusive(fact.key, doubt);
    }
  }
}

}  // namespace tomograph::cache_sharing
