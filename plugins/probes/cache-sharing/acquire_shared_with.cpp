#include <algorithm>
#include <cmath>

#include "acquire_code.hpp"
#include "analysis_shared_with.hpp"
#include "publish.hpp"
#include "questions.hpp"
#include "tomograph/cache/questions.hpp"
#include "tomograph/column.hpp"

namespace tomograph::cache_sharing {

namespace {

/// What the owner loads and what the rival walks, as shares of the capacity. Which lines are evicted depends on the
/// replacement policy and on how evenly the index spreads lines: half and twice evicts under any policy; seven eighths,
/// as in Größler 2022 (section 4.5), is a little less than either cache holds.
struct Shares {
  double fill;
  double walk;
};
constexpr std::array shares{Shares{0.5, 2}, Shares{0.875, 0.875}, Shares{0.5, 1}};

/// A load path whose cache is known.
struct Participant {
  LoadPath path;
  CacheUser user;
};

/// Counts of one pair with the same shares: lines evicted after an idle rival, after the owner's own walk and after the
/// rival's walk.
struct Counts {
  Pair pair{};
  std::size_t shares = 0;
  std::int64_t fill_bytes = 0;
  std::int64_t walk_bytes = 0;
  analysis::EventCount idle = {};
  analysis::EventCount own = {};
  analysis::EventCount rival = {};
};

std::vector<Participant> participants(const Session& session) {
  std::vector<Participant> known;
  for (const LoadPath& path : load_paths) {
    if (const auto user = known_user(session, path)) known.push_back({path, *user});
  }
  return known;
}

std::int64_t share(double part, std::int64_t bytes) {
  return static_cast<std::int64_t>(std::lround(part * static_cast<double>(bytes)));
}

/// As many trials as it takes to test 128 lines, of which a small cache has few at a time. The standard error of a
/// share is then 4.4 %; the hypotheses that are compared lie 50 % apart.
std::int64_t trials_of(const CacheUser& owner) {
  constexpr std::int64_t lines_wanted = 512;  // half of the lines are tested
  constexpr std::int64_t fewest = 4;          // lines start at four places, so that no single one decides
  constexpr std::int64_t most = 32;           // caches of fewer than 16 lines are tested less, not longer
  return std::clamp(lines_wanted * owner.line_bytes / owner.size, fewest, most);
}

/// The three tests of one pair.
std::array<EvictionTest, 3> tests_of(const CacheUser& owner, const CacheUser& rival, const Shares& shares_of) {
  const std::int64_t fill = share(shares_of.fill, owner.size);
  const std::int64_t wanted = share(shares_of.walk, std::max(owner.size, rival.size));
  const std::int64_t walk = common_walk(owner, rival, fill, wanted);
  EvictionTest test{.owner = owner, .rival = rival, .fill_bytes = fill, .walk_bytes = walk};
  EvictionTest idle = test;
  idle.idle = true;
  EvictionTest own = test;
  own.rival = owner;
  own.walk_bytes = common_walk(owner, owner, fill, walk);
  return {idle, own, test};
}

/// One batch per trial: pairs that need fewer trials drop out.
std::vector<Counts> measure_evictions(const Session& session, std::span<const Participant> known) {
  std::vector<Counts> counts;
  for (std::size_t number = 0; number < shares.size(); ++number) {
    for (const Pair& pair : ordered_pairs(known.size())) counts.push_back({.pair = pair, .shares = number});
  }
  const auto execute = cache::executor(session);
  for (std::int64_t trial = 0;; ++trial) {
    std::vector<EvictionTest> tests;
    std::vector<Counts*> counted;
    for (Counts& one : counts) {
      const CacheUser& owner = known[one.pair.owner].user;
      if (trial >= trials_of(owner)) continue;
      const auto three = tests_of(owner, known[one.pair.rival].user, shares[one.shares]);
      tests.insert(tests.end(), three.begin(), three.end());
      counted.push_back(&one);
      one.fill_bytes = three[2].fill_bytes;
      one.walk_bytes = three[2].walk_bytes;
    }
    if (tests.empty()) return counts;
    const auto seen = count_evictions(execute, tests, static_cast<std::uint64_t>(trial + 1));
    for (std::size_t i = 0; i < counted.size(); ++i) {
      counted[i]->idle += seen[3 * i];
      counted[i]->own += seen[3 * i + 1];
      counted[i]->rival += seen[3 * i + 2];
    }
  }
}

/// Lines of one path that another one finds, between paths to global memory.
void add_found(const Session& session, std::span<const Participant> known, Directions& directions) {
  std::vector<std::pair<CacheUser, CacheUser>> loader_and_reader;
  std::vector<Direction*> wanted;
  for (const Pair& pair : ordered_pairs(known.size())) {
    const Participant& owner = known[pair.owner];
    const Participant& rival = known[pair.rival];
    const bool global = chase::space_of(owner.path.path) == chase::Space::global &&
                        chase::space_of(rival.path.path) == chase::Space::global;
    if (!global) continue;
    loader_and_reader.emplace_back(rival.user, owner.user);
    wanted.push_back(&directions[{pair.owner, pair.rival}]);
  }
  for (std::uint64_t trial = 0; trial < 4; ++trial) {
    const auto seen = find_lines(cache::executor(session), loader_and_reader, chase::Path::global_cg, trial);
    for (std::size_t i = 0; i < seen.size(); ++i) {
      auto evidence = analysis::effect_evidence(seen[i].nobody, seen[i].own, seen[i].loader);
      if (!wanted[i]->found) wanted[i]->found = analysis::EffectEvidence{};
      *wanted[i]->found += evidence;
    }
  }
}

std::vector<NamedArray> columns(std::span<const Counts> counts) {
  const auto column = [&](const char* name, const auto& value) { return tomograph::column(name, counts, value); };
  return {column("owner", [](const Counts& c) { return c.pair.owner; }),
          column("rival", [](const Counts& c) { return c.pair.rival; }),
          column("fill_B", [](const Counts& c) { return c.fill_bytes; }),
          column("walk_B", [](const Counts& c) { return c.walk_bytes; }),
          column("tested", [](const Counts& c) { return c.rival.tests; }),
          column("missed_after_idle_rival", [](const Counts& c) { return c.idle.events; }),
          column("missed_after_own_walk", [](const Counts& c) { return c.own.events; }),
          column("missed_after_rivals_walk", [](const Counts& c) { return c.rival.events; })};
}

constexpr const char* instructions_l1 = "instruction_l1";
constexpr const char* instructions_l15 = "instruction_l15";

/// Compares the first level of constant caches with instructions. A device that does not time instructions leaves them
/// out, with the reason.
void add_code(const Session& session, const CacheUser& constant, SharingFact& fact) {
  const auto reach = session.fact<std::int64_t>("constant_memory.reach");
  if (!reach) return;
  try {
    const auto code = sharing_with_code(
        session,
        {.size = constant.size, .line_bytes = constant.line_bytes, .threshold = constant.subject.threshold.cycles},
        *reach);
    session.evidence(fact.key, code.evidence);
    fact.found.add(instructions_l1, code.verdict);
    fact.samples += code.samples;
  } catch (const Refused& refused) {
    if (refused.status != TOMOGRAPH_UNSUPPORTED) throw;
    fact.not_compared = {instructions_l1, refused.what()};
  }
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

/// Publishes why nothing is known about paths without a known cache.
/// @return a fact that is missing of a cache that exists, if there is one.
std::string publish_unknown(const Session& session) {
  std::string unknown;
  for (const LoadPath& path : load_paths) {
    const auto missing = missing_fact(session, path);
    if (missing) unknown = *missing;
    if (known_user(session, path)) continue;
    if (missing) {
      session.inconclusive(key(path, "shared_with"), *missing + " is not known");
    } else {
      session.absent(key(path, "shared_with"), "no cache serves these loads");
    }
  }
  return unknown;
}

/// Whether all that can be compared is one cache that holds no constants. Publishes what follows.
bool is_alone(const Session& session, std::span<const Participant> known, const std::string& unknown) {
  if (known.size() != 1 || known.front().path.path == chase::Path::constant) return false;
  const std::string only = key(known.front().path, "shared_with");
  if (unknown.empty()) {
    session.absent(only, "there is no other cache to share with");
  } else {
    session.inconclusive(only, unknown + " is not known");
  }
  return true;
}

}  // namespace

void find_constant_sharing(const Session& session) {
  constexpr const char* fact_key = "constant_l15.shared_with";
  constexpr std::int64_t fewest_lines = 8;  // a quarter is loaded, and the first load is no test
  const auto line = session.needed<std::int64_t>("constant_l15.line_size");
  if (session.needed<std::int64_t>("constant_l15.size") < fewest_lines * line) {
    return session.inconclusive(fact_key, "it has too few lines to tell which of them are evicted");
  }
  const CodeSharing code = second_level_sharing(session);
  SharingFact fact{.key = fact_key,
                   .method = "eviction-between-constants-and-instructions",
                   .evidence = fact_key,
                   .samples = code.samples};
  session.evidence(fact.evidence, code.evidence);
  fact.found.add(instructions_l15, code.verdict);
  publish(session, fact);
}

void find_sharing(const Session& session) {
  const auto known = participants(session);
  // A cache that other probes could not measure may be the same one as any other.
  const std::string unknown = publish_unknown(session);
  if (known.empty() || is_alone(session, known, unknown)) return;
  const auto counts = measure_evictions(session, known);
  Directions directions;
  std::uint64_t samples = 0;
  for (const Counts& one : counts) {
    directions[{one.pair.owner, one.pair.rival}].evicted += analysis::effect_evidence(one.idle, one.own, one.rival);
    samples += one.rival.tests;
  }
  add_found(session, known, directions);
  session.evidence("shared_with", columns(counts));
  std::vector<std::string> names;
  for (const Participant& one : known) names.emplace_back(one.path.prefix);
  for (std::size_t i = 0; i < known.size(); ++i) {
    SharingFact fact{.key = key(known[i].path, "shared_with"),
                     .method = "eviction-between-paths",
                     .evidence = "shared_with",
                     .samples = samples,
                     .found = shared_with(names, directions, i)};
    std::string& undecided = fact.found.undecided;
    if (undecided.empty() && !unknown.empty())
      undecided = "whether it is a cache of which " + unknown + " is not known";
    if (undecided.empty() && known[i].path.path == chase::Path::constant) add_code(session, known[i].user, fact);
    publish(session, fact);
  }
}

}  // namespace tomograph::cache_sharing
