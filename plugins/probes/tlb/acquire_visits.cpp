#include "acquire_visits.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "analysis_visits.hpp"
#include "tomograph/analysis/confidence.hpp"
#include "tomograph/analysis/robust_statistics.hpp"
#include "tomograph/session.hpp"
#include "tomograph/tlb/eviction.hpp"
#include "tomograph/tlb/lines.hpp"

namespace tomograph::tlb {

namespace {

/// Visits after the walk: half of them miss under LRU, and 24 misses leave no other policy alike.
constexpr std::size_t visits_of_a_sequence = 48;
constexpr std::size_t sequences = 8;
/// If all of so many agree, the policy is right with 0.991.
constexpr std::size_t confirming_sequences = 4;
/// Loads that tell policies apart: at 600 cycles each, they take 2.5 s, a hundredth of what the probe may take.
constexpr std::size_t most_loads = 8'000'000;
/// Loads that confirm a policy. At 600 cycles each, more take half a second.
constexpr std::size_t most_confirming_loads = 1'000'000;
/// Programs of a sequence, of which each visit's median counts: a delay of one visit in 1,000 then spoils one sequence
/// in 6,000.
constexpr std::int64_t fewest_programs = 3;

/// Pages that are visited between the visits to a group's pages. Some occur several times.
struct Between {
  std::vector<std::int64_t> pages;
  std::vector<std::int64_t> numbers;  ///< of those that belong to the group
};

Between between_visits(const Organisation& known, const SetWays& sets, std::size_t which, const Group& group) {
  Between result;
  if (known.evicting_pages == 0) return result;
  // Where a group is the whole level, these are its newest pages.
  if (sets.ways.size() == 1) {
    const std::size_t spare = group.size() > 3 ? group.size() - 3 : 0;
    const auto count = std::min<std::size_t>(spare, static_cast<std::size_t>(known.evicting_pages));
    result.pages.assign(group.end() - static_cast<std::ptrdiff_t>(count), group.end());
    result.numbers.resize(count);
    std::iota(result.numbers.begin(), result.numbers.end(), static_cast<std::int64_t>(group.size() - count));
  } else {
    result.pages = rest_of(sets, which);
  }
  const auto once = result;
  for (std::size_t round = 1; round < sets.rounds; ++round) {
    result.pages.insert(result.pages.end(), once.pages.begin(), once.pages.end());
    result.numbers.insert(result.numbers.end(), once.numbers.begin(), once.numbers.end());
  }
  return result;
}

/// Brings the lines of all visits into L2, evicts everything from the level, walks over the group and makes the visits,
/// each at a line of its own.
class Writer {
 public:
  Writer(const Memory& memory, const Organisation& known, const Group& group, std::int64_t first_line)
      : memory_(memory),
        known_(known),
        group_(group),
        lines_(memory.line, memory.spread(known.entry_span) / memory.line, first_line, memory.most_visits) {
    made_.arrays = {{memory.bytes}};
    made_.actors = {{.sm = 0, .path = chase::Path::global_cg},
                    {.sm = 0, .path = chase::Path::global_cg, .threads = 32}};
    made_.alone = true;
  }

  chase::Program program(const Visits& visits, const std::vector<std::int64_t>& between) {
    chase::Ring pairs;
    chase::Ring lines;
    std::vector<std::int64_t> begins;
    for (std::size_t visit = 0; visit < visits.timed.size(); ++visit) {
      begins.push_back(std::ssize(pairs.nodes));
      const std::int64_t line = lines_.next(group_[static_cast<std::size_t>(visits.order[visits.timed[visit]])]);
      lines.nodes.push_back(line);
      pairs.nodes.push_back(line + chase::node_bytes);
      pairs.nodes.push_back(line + 2 * chase::node_bytes);
      if (visits.touched[visit] == Visits::nothing) continue;
      lines.nodes.push_back(lines_.next(group_[static_cast<std::size_t>(visits.touched[visit])]));
      pairs.nodes.push_back(lines.nodes.back() + chase::node_bytes);
    }
    begins.push_back(std::ssize(pairs.nodes));
    made_.rings.push_back(std::move(pairs));
    pass(std::move(lines), 2);
    evict();
    if (between.empty()) {
      time(0, begins.back());
      return std::move(made_);
    }
    time(0, begins[visits.walked]);
    const std::int64_t ring = std::ssize(made_.rings);
    chase::Ring rest;
    for (const std::int64_t page : between) rest.nodes.push_back(lines_.next(page));
    made_.rings.push_back(std::move(rest));
    for (std::size_t visit = visits.walked; visit < visits.timed.size(); ++visit) {
      made_.phases.push_back({.actor = 0, .ring = ring, .loads = std::ssize(between)});
      time(begins[visit], begins[visit + 1]);
    }
    return std::move(made_);
  }

 private:
  /// Threads pass a ring so often.
  void pass(chase::Ring ring, std::int64_t times) {
    const std::int64_t loads = chase::loads_to_pass(std::ssize(ring.nodes), made_.actors[1].threads);
    made_.phases.push_back({.actor = 1, .ring = std::ssize(made_.rings), .loads = times * loads});
    made_.rings.push_back(std::move(ring));
  }
  /// Visits other pages, of which every set gets more than it holds: then it holds none of the group.
  void evict() {
    constexpr std::int64_t times_the_entries = 2;
    const std::int64_t most = std::min(memory_.most_visits, memory_.places(known_.entry_span));
    const auto pages = std::min(most, times_the_entries * known_.entries + std::ssize(group_));
    chase::Ring ring;
    for (std::int64_t page = 0; page < pages; ++page) {
      const std::int64_t at = page * known_.entry_span;
      if (std::ranges::find(group_, at) == group_.end()) ring.nodes.push_back(lines_.next(at) + 3 * chase::node_bytes);
    }
    const std::int64_t walks = walks_that_evict(known_.entries, std::max(std::ssize(ring.nodes), known_.entries + 1));
    pass(std::move(ring), walks);
  }
  void time(std::int64_t begin, std::int64_t end) {
    made_.phases.push_back(
        {.actor = 0, .ring = 0, .first = begin, .loads = end - begin, .timing = chase::Timing::each});
  }

  const Memory& memory_;
  const Organisation& known_;
  const Group& group_;
  chase::Program made_;
  Lines lines_;
};

/// Medians of the visits' extra latencies over programs that differ in their lines.
std::vector<double> medians_of(const Memory& memory, const Visits& visits, std::span<const chase::Program> programs) {
  std::vector<std::vector<double>> seen(visits.timed.size());
  for (const chase::Result& result : memory.execute(programs)) {
    std::vector<double> latency;
    for (const auto& trace : result.traces) latency.insert(latency.end(), trace.latency.begin(), trace.latency.end());
    std::size_t load = 0;
    for (std::size_t visit = 0; visit < seen.size(); ++visit) {
      seen[visit].push_back(latency[load] - latency[load + 1]);
      load += visits.touched[visit] == Visits::nothing ? 2 : 3;
    }
  }
  std::vector<double> medians;
  for (const auto& cycles : seen) medians.push_back(analysis::median(cycles));
  return medians;
}

/// Sequences of visits, and whether pages are touched among them.
struct Sequences {
  std::size_t visits = visits_of_a_sequence;
  std::size_t count = sequences;
  bool touches = false;
};

/// Loads of the sequences in so many programs: a visit takes three, and those between the visits.
std::size_t loads_of(const Sequences& planned, std::size_t between, std::int64_t programs) {
  return planned.count * static_cast<std::size_t>(programs) * planned.visits * (between + 3);
}

/// Whether pages have a line for each of their visits. They do unless they are of a few KiB.
bool have_lines(const Memory& memory, const Organisation& known, const Visits& visits) {
  std::map<std::int64_t, std::int64_t> lines_of;
  for (std::size_t visit = 0; visit < visits.timed.size(); ++visit) {
    ++lines_of[visits.order[visits.timed[visit]]];
    if (visits.touched[visit] != Visits::nothing) ++lines_of[visits.touched[visit]];
  }
  const std::int64_t lines = memory.spread(known.entry_span) / memory.line;
  return std::ranges::all_of(lines_of, [&](const auto& page) { return page.second <= lines; });
}

/// What the sequences agree with, each measured in so many programs.
Agreement agreement_of(const Memory& memory, const Organisation& known, const SetWays& sets, const Sequences& planned,
                       std::int64_t programs) {
  const std::size_t siblings = std::min(sets.siblings, sets.groups.size());
  Agreement agreement;
  for (std::size_t sequence = 0; sequence < planned.count; ++sequence) {
    const Group& group = sets.groups[sequence % siblings];
    const Between between = between_visits(known, sets, sequence % siblings, group);
    const Visits visits = telling_visits(group.size(), planned.visits, between.numbers, sequence, planned.touches);
    if (!have_lines(memory, known, visits)) continue;
    std::vector<chase::Program> same;
    for (std::int64_t i = 0; i < programs; ++i) {
      // Any number: lines differ from one program to the next.
      const std::int64_t first_line = i * std::ssize(visits.timed);
      same.push_back(Writer(memory, known, group, first_line).program(visits, between.pages));
    }
    const auto medians = medians_of(memory, visits, same);
    const bool is_hidden = known.evicting_pages > 0 && are_hidden(known.level, medians, programs);
    agreement.hidden += is_hidden || are_late(known.level, medians) ? 1 : 0;
    std::vector<bool> missed;
    for (const double cycles : medians) missed.push_back(cycles > known.level.threshold());
    agreement.add(visits, missed);
  }
  return agreement;
}

/// Policies differ from LRU in ways that few visits do not show: one that protects what was used may keep pages in the
/// order in which they came, which the set's second turn shows; one that brings new pages in as the next victims keeps
/// those that are loaded twice. So the visits become more than the ways, and pages are touched among them. `policy`
/// with less confidence if these visits are too many, or a device refuses them.
Policy confirmed_lru(const Memory& memory, const Organisation& known, const SetWays& sets, Policy policy,
                     std::int64_t programs) {
  const Group& group = sets.groups.front();
  const Sequences longer{
      .visits = visits_of_a_sequence + 2 * group.size(), .count = confirming_sequences, .touches = true};
  const std::size_t between = between_visits(known, sets, 0, group).pages.size();
  const std::size_t lines = group.size() + 2 * longer.visits;
  const bool fits = std::cmp_less_equal(lines, memory.most_visits) && std::cmp_less_equal(2 * lines, memory.most_timed);
  if (fits && loads_of(longer, between, programs) <= most_confirming_loads) {
    try {
      const Agreement agreement = agreement_of(memory, known, sets, longer, programs);
      Policy again = policy_of(agreement);
      if (again.name == policy.name) return policy;
      // Where L2 loses lines now and then, longer sequences hardly ever agree with any policy.
      if (agreement.sequences == 0 || agreement.lru + agreement.nearly_lru < agreement.sequences) return again;
    } catch (const Refused&) {
      // As if the visits were too many.
    }
  }
  policy.confidence = std::min(policy.confidence, confidence::tlb::lru_by_few_visits);
  return policy;
}

}  // namespace

std::vector<std::int64_t> rest_of(const SetWays& sets, std::size_t group) {
  std::vector<std::int64_t> rest;
  for (std::size_t i = 0; i < std::min(sets.siblings, sets.groups.size()); ++i) {
    if (i != group) rest.insert(rest.end(), sets.groups[i].begin(), sets.groups[i].end());
  }
  rest.insert(rest.end(), sets.others.begin(), sets.others.end());
  return rest;
}

Policy policy_by_visits(const Memory& memory, const Organisation& known, const SetWays& sets) {
  const std::int64_t programs = std::max(fewest_programs, known.level.passes());
  const std::size_t between = between_visits(known, sets, 0, sets.groups.front()).pages.size();
  Policy policy;
  if (!known.level.resolvable() || loads_of({}, between, programs) > most_loads) {
    policy.reason = "single visits to a full set do not stand out from noise";
    return policy;
  }
  const std::size_t siblings = std::min(sets.siblings, sets.groups.size());
  for (std::size_t group = 0; group < std::min(siblings, sequences); ++group) {
    if (sets.groups[group].size() >= 3) continue;
    policy.reason = "sets of one way have no policy";
    return policy;
  }
  policy = policy_of(agreement_of(memory, known, sets, {}, programs));
  if (policy.name == "lru") policy = confirmed_lru(memory, known, sets, std::move(policy), programs);
  // There, each visit is a phase of its own, and the start of a phase may itself visit a page.
  if (policy.name == "not-lru" && sets.ways.size() == 1 && known.evicting_pages > 0) {
    return {.reason = "visits to the only set, in which a device may itself visit pages, agree with no policy"};
  }
  return policy;
}

}  // namespace tomograph::tlb
