#include <algorithm>
#include <cmath>

#include "tomograph/analysis/agreement.hpp"
#include "tomograph/analysis/confidence.hpp"
#include "tomograph/cache/masks.hpp"
#include "tomograph/cache/questions.hpp"
#include "tomograph/cache/replacement.hpp"
#include "tomograph/cache/sets.hpp"
#include "tomograph/column.hpp"

namespace tomograph::cache {

namespace {

constexpr std::int64_t load_budget = 150'000'000;  // at 40 cycles and 1.7 GHz, 3.5 s of one SM

/// Probability that a load is misread. Groups are searched and ways are counted line by line, so a misread load may
/// make one of many counts wrong.
double misread(const Subject& subject) { return subject.threshold.false_hit + subject.threshold.false_miss; }
/// Rates above which sets are less sure, and above which none are sought. Chosen by hand.
constexpr double misread_now_and_then = 0.005;
constexpr double misread_often = 0.02;

/// The number of sets from lines at random places: the more sets, the fewer lines stay. Candidates are the recovered
/// number of sets, multiplied or divided by powers of two.
std::optional<analysis::SetEstimate> by_random_placement(const std::vector<analysis::Retention>& observations,
                                                         const Sets& recovered) {
  const std::int64_t lines = recovered.lines();
  auto sets = std::ssize(recovered.set_ways);
  while (sets % 2 == 0) sets /= 2;
  std::vector<std::size_t> candidates;
  for (; sets <= lines; sets *= 2) {
    if (lines % sets == 0) candidates.push_back(static_cast<std::size_t>(sets));
  }
  if (candidates.size() < 2) return std::nullopt;
  return analysis::estimate_sets(observations, static_cast<std::size_t>(lines), candidates);
}

std::vector<NamedArray> placement_columns(std::span<const analysis::Retention> observations) {
  using analysis::Retention;
  return {tomograph::column("lines", observations, &Retention::lines),
          tomograph::column("tested", observations, &Retention::sampled),
          tomograph::column("hits", observations, &Retention::retained)};
}

/// Ways as papers and descriptions number them.
std::vector<std::int64_t> numbered_from_one(std::span<const std::size_t> ways) {
  std::vector<std::int64_t> numbers;
  for (const std::size_t way : ways) numbers.push_back(static_cast<std::int64_t>(way) + 1);
  return numbers;
}

void publish_replacement(const Session& session, const Level& level, const Replacement& policy) {
  const std::string name = key(level, "replacement");
  if (!policy.trace.empty()) session.evidence(name, std::vector{column("latency_cycles", policy.trace)});
  Fact fact{.key = name,
            .value = policy.policy,
            .method = policy.way_probability.empty() ? "overflowing-walk+touched-again" : "overflowing-walk",
            .confidence = policy.confidence,
            .samples = std::max<std::size_t>(policy.victims, policy.trace.size()),
            .evidence = name};
  if (level.shared && policy.policy == "random") {
    fact.confidence = std::min(fact.confidence, confidence::cache::shared_random_replacement);
  }
  if (policy.protected_ways > 0) fact.conditions["protected_ways"] = policy.protected_ways;
  if (!policy.way_order.empty()) fact.conditions["way_order"] = numbered_from_one(policy.way_order);
  publish_or(session, !policy.policy.empty(), fact, policy.reason);
  fact.key = key(level, "way_probability");
  fact.value = policy.way_probability;
  if (level.shared) fact.confidence = std::min(fact.confidence, confidence::cache::shared_way_probability);
  if (policy.policy == "way-weighted" || policy.policy == "way-order") return session.publish(fact);
  if (policy.policy.empty()) return session.inconclusive(fact.key, policy.reason);
  session.absent(fact.key, "the policy is " + policy.policy + ", which has no weights");
}

void without_choice(const Session& session, const Level& level) {
  for (const char* name : {"replacement", "way_probability"}) {
    session.absent(key(level, name), "sets of one way leave nothing to choose");
  }
}

void nothing_known(const Session& session, const Level& level, const std::string& reason) {
  for (const char* name : {"sets", "ways", "set_ways", "index", "replacement", "way_probability"}) {
    session.inconclusive(key(level, name), reason);
  }
}

std::string why_no_groups(const Subject& subject, std::int64_t capacity) {
  if (capacity < subject.indexed_region())
    return "no lines were found that share a set, by as many loads as the search may take";
  return "the lines of " + std::to_string(subject.indexed_region()) +
         " B of one page, among which sets are sought, all fit";
}

/// Sets, and the groups of lines from which they follow.
struct FoundSets {
  std::vector<ConflictGroup> groups;
  std::optional<Sets> sets;
};

/// Under random replacement and segmented LRU, lines outlast walks, so that group testing finds few groups or none. If
/// so, `subject` touches lines twice from then on.
FoundSets find_sets(const Executor& execute, Subject& subject, const SetSearch& search, const Level& level) {
  auto groups = conflict_groups(execute, subject, search);
  auto sets = recover_sets(execute, subject, search, groups);
  if (!sets && level.shared && std::ssize(groups) < search.groups) {
    subject.touches = 2;
    groups = conflict_groups_by_misses(execute, subject, search);
    sets = recover_sets(execute, subject, search, groups);
  }
  return {std::move(groups), std::move(sets)};
}

double confidence_of(const Sets& sets, const Subject& subject, bool agrees) {
  constexpr std::size_t settling = 8;  // a wrong index survives so many further pairs with a probability of 2^-8
  if (sets.confirming < settling || misread(subject) >= misread_now_and_then) {
    return confidence::cache::sets_unsettled;
  }
  return agrees ? confidence::cache::sets_two_methods : confidence::cache::sets_confirmed;
}

}  // namespace

Value index_value(const analysis::LinearIndex& index) {
  if (index.plain_bits) return {{"kind", "bits"}, {"bits", *index.plain_bits}};
  const std::vector<std::uint64_t> ascending(index.masks.rbegin(), index.masks.rend());
  return {{"kind", "hashed"}, {"masks", mask_texts(ascending)}};
}

Value index_value(std::int64_t modulus) { return {{"kind", "modulo"}, {"modulus", modulus}}; }

analysis::Statement stated(const Value& size) {
  const auto value = size.at("value").get<double>();
  const auto [low, high] = size.value("interval", std::pair(value, value));
  return {{low, high}, size.at("confidence").get<double>()};
}

void publish_sets(const Session& session, const Level& level, const Sets& sets, const Fact& common) {
  const auto count = static_cast<std::int64_t>(sets.set_ways.size());
  Fact fact = common;
  fact.key = key(level, "sets");
  fact.value = count;
  session.publish(fact);
  fact.key = key(level, "set_ways");
  fact.value = sets.set_ways;
  session.publish(fact);
  fact.key = key(level, "ways");
  fact.value = sets.set_ways.front();
  if (sets.equal()) {
    session.publish(fact);
  } else {
    session.absent(fact.key, "sets have different numbers of ways: see set_ways");
  }
  fact.key = key(level, "index");
  fact.value = sets.modulus ? index_value(*sets.modulus) : index_value(sets.index);
  session.publish(fact);
}

void find_organisation(const Session& session, const Level& level, const std::string& size_fact) {
  const auto capacity = session.needed<std::int64_t>(size_fact);
  const auto execute = executor(session);
  auto subject = known_subject(session, level);
  const auto line = session.needed<std::int64_t>(key(level, "line_size"));
  if (misread(subject) > misread_often) {
    return nothing_known(session, level,
                         "latencies of hits and misses overlap, so that single loads are often misread");
  }
  const SetSearch search{.line_bytes = line, .capacity_lines = capacity / line, .budget = load_budget};
  const auto [groups, sets] = find_sets(execute, subject, search, level);
  if (!sets) {
    return nothing_known(session, level,
                         groups.empty()
                             ? why_no_groups(subject, capacity)
                             : "lines that share a set follow neither from XORs of address bits nor from a remainder");
  }
  // 1024 samples of which half stay have a standard error of 1.6 %.
  const auto observations = random_placement(execute, subject, search, 1024);
  session.evidence(key(level, "sets"), placement_columns(observations));
  const auto second = by_random_placement(observations, *sets);
  const bool agrees = second && second->best.sets == sets->set_ways.size();
  const auto all_lines = static_cast<double>(sets->lines() * line);
  publish_sets(
      session, level, *sets,
      {.method = agrees ? "conflict-groups+random-placement" : "conflict-groups",
       .confidence = analysis::confidence_beside({{all_lines, all_lines}, confidence_of(*sets, subject, agrees)},
                                                 stated(*session.fact_record(size_fact))),
       .samples = sets->differences + sets->set_ways.size(),
       .conditions = {{"lines_with_tags", sets->lines()},
                      {"lines_retained", search.capacity_lines},
                      {"offsets_below", subject.indexed_region()}},
       .evidence = key(level, "sets")});
  if (std::ranges::max(sets->set_ways) == 1) return without_choice(session, level);
  publish_replacement(session, level, replacement(execute, subject, line, groups, *sets));
}

}  // namespace tomograph::cache
