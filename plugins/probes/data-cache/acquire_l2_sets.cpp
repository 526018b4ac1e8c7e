#include "acquire_l2_sets.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "tomograph/analysis/group_testing.hpp"
#include "tomograph/analysis/robust_statistics.hpp"
#include "tomograph/cache/subject.hpp"

namespace tomograph::data_cache {

namespace {

using l2_lines::Evictions;
using l2_lines::EvictionTest;
using l2_lines::Run;

/// Trials of which the majority counts.
constexpr std::size_t trials = 3;
/// Trials that must all evict a member of a set. Loads that are late for other reasons are late now and then.
constexpr std::size_t trials_of_members = 4;
/// Walks over the lines of eviction sets, at least: a random victim in 16 ways escapes so many with a probability of
/// 0.6, which the trials then show.
constexpr std::int64_t settling_walks = 8;

/// Consecutive places are lines scattered evenly over all pages: the golden ratio's share of 2^32 (Knuth 1973, 6.4).
constexpr std::int64_t scattering_step = 0x9e3779b1;

Evictions program_for(const EvictionSetting& setting) {
  Evictions program;
  program.memory = setting.memory;
  program.observers = setting.sms;
  program.walkers = setting.sms;
  program.limit = setting.limit;
  return program;
}

/// Walks enough to evict each line of the set.
Evictions settling_program_for(const EvictionSetting& setting) {
  Evictions program = program_for(setting);
  program.walks = std::max(settling_walks, setting.rounds.most);
  return program;
}

std::vector<Run> single(std::span<const std::int64_t> lines) {
  std::vector<Run> runs;
  for (const std::int64_t line : lines) runs.push_back({line, 1});
  return runs;
}

std::vector<std::int64_t> without(const std::vector<std::int64_t>& lines, std::size_t place) {
  std::vector<std::int64_t> others = lines;
  others.erase(others.begin() + static_cast<std::ptrdiff_t>(place));
  return others;
}

/// Calls `visit` with each target that was late in one of the trials of a program, and with its latency.
template <typename Visit>
void repeat(const Session& session, Evictions program, std::size_t first, std::size_t last, const Visit& visit) {
  program.trial = static_cast<std::int64_t>(first);
  for (; program.trial < static_cast<std::int64_t>(last); ++program.trial) {
    const auto result = session.ask(program);
    for (std::size_t i = 0; i < result.late.size(); ++i) visit(result.late[i], result.latency[i]);
  }
}

/// A target that was late, and its latencies in the trials in which it was.
struct LateTarget {
  std::uint32_t target = 0;
  std::vector<double> latencies = {};
};

/// Leaves out the targets, single lines, that were not late.
void keep_late(Evictions& program, std::span<const LateTarget> late) {
  std::size_t tested = 0;
  for (EvictionTest& test : program.tests) {
    const std::size_t first = std::exchange(tested, tested + test.targets.size());
    std::vector<Run> kept;
    for (; !late.empty() && late.front().target < tested; late = late.subspan(1)) {
      kept.push_back(test.targets[late.front().target - first]);
    }
    test.targets = std::move(kept);
  }
  std::erase_if(program.tests, [](const EvictionTest& test) { return test.targets.empty(); });
}

/// The targets that were late in the first trial, which alone are tested again. Targets are single lines.
std::vector<LateTarget> late_latencies(const Session& session, Evictions program, std::size_t repetitions) {
  std::vector<LateTarget> late;
  repeat(session, program, 0, 1, [&](std::uint32_t target, double latency) { late.push_back({target, {latency}}); });
  keep_late(program, late);
  if (late.empty()) return late;
  repeat(session, program, 1, repetitions,
         [&](std::uint32_t target, double latency) { late[target].latencies.push_back(latency); });
  return late;
}

/// The targets that were late in most of three repetitions, ascending: few of what may be millions.
std::vector<std::uint32_t> evicted(const Session& session, const Evictions& program) {
  std::vector<std::uint32_t> late;
  repeat(session, program, 0, trials, [&](std::uint32_t target, double /*latency*/) { late.push_back(target); });
  std::ranges::sort(late);
  std::vector<std::uint32_t> evicted;
  for (auto first = late.begin(); first != late.end();) {
    const auto next = std::find_if(first, late.end(), [first](std::uint32_t target) { return target != *first; });
    if (2 * (next - first) > std::ptrdiff_t{trials}) evicted.push_back(*first);
    first = next;
  }
  return evicted;
}

/// One search, advanced in step with others so that batches are full.
class Search {
 public:
  Search(const EvictionSetting& setting, std::uint64_t seed)
      : setting_(&setting),
        testing_({.most = setting.memory.lines(),
                  .wanted = setting.capacity_lines * 5 / 4,
                  // Nine tests for each eighth that is removed take eleven times the capacity, and five eighths off
                  // leave half: about 110 in all. Four times that for searches that must step back. Most
                  // steps need fewer rounds than they may take: a quarter finds four of five L2s that one misses.
                  .budget = 500 * setting.capacity_lines * std::max(setting.rounds.most / 4, std::int64_t{1}),
                  .first_rounds = setting.rounds.first,
                  .most_rounds = setting.rounds.most,
                  .seed = seed}) {
    draw();
  }

  [[nodiscard]] Evictions step() {
    const auto next = testing_.step();
    Evictions program = program_for(*setting_);
    program.step = scattering_step;
    program.trial = next.trial;
    settling_ = next.rounds > 1 ? next.rounds : 0;
    rounds_ = settling_ + next.rounds;
    for (const auto& pool : next.pools) {
      EvictionTest test{.targets = {{target_, 1}}, .walk = {}};
      for (const auto& run : pool) test.walk.push_back({first_ + run.first, run.count});
      program.tests.insert(program.tests.end(), static_cast<std::size_t>(rounds_), test);
    }
    return program;
  }

  void advance(const l2_lines::EvictionResult& result, std::size_t tests) {
    const auto rounds = static_cast<std::size_t>(rounds_);
    const auto settling = static_cast<std::size_t>(settling_);
    std::vector<bool> evicted(tests / rounds);
    for (const std::uint32_t test : result.late) {
      if (test % rounds >= settling) evicted[test / rounds] = true;
    }
    testing_.advance(evicted);
    if (testing_.seed() != seed_) draw();
  }

  [[nodiscard]] bool done() const { return testing_.done(); }
  [[nodiscard]] bool found() const { return testing_.found(); }
  [[nodiscard]] EvictionSet lines() const {
    Evictions program = program_for(*setting_);
    program.step = scattering_step;
    EvictionSet all{target_};
    for (const std::int64_t element : testing_.group()) all.push_back(program.line_at(first_ + element));
    return all;
  }

 private:
  /// The pool is a run of places, and the target lies behind it.
  void draw() {
    seed_ = testing_.seed();
    const std::int64_t room = setting_->memory.lines() - testing_.elements();
    first_ = cache::random_choice(room, 1, seed_).front();
    Evictions program = program_for(*setting_);
    program.step = scattering_step;
    target_ = program.line_at(first_ + testing_.elements());
    if (target_ % program.memory.lines_per_page() == 0) ++target_;  // not the first line of a page
  }

  const EvictionSetting* setting_;
  analysis::GroupTesting testing_;
  std::uint64_t seed_ = 0;
  std::int64_t rounds_ = 1;  ///< tests of each pool in the last step
  /// The first of them, which do not count. Under FIFO, the target may be the oldest line of its set however often it
  /// was loaded, and goes if a line of an earlier test is still there: these let it go. One round is for policies where
  /// hits renew a line's place.
  std::int64_t settling_ = 0;
  std::int64_t first_ = 0;   ///< place of the pool
  std::int64_t target_ = 0;  ///< line
};

void advance_all(const Session& session, std::span<Search> searches) {
  std::vector<Search*> open;
  std::vector<Evictions> programs;
  for (Search& search : searches) {
    if (search.done()) continue;
    open.push_back(&search);
    programs.push_back(search.step());
  }
  const auto results = session.ask(programs);
  for (std::size_t i = 0; i < open.size(); ++i) open[i]->advance(results[i], programs[i].tests.size());
}

/// Whether all lines but any one of them fit, and each is evicted by the others.
bool is_verified(const Session& session, const EvictionSetting& setting, const EvictionSet& set) {
  Evictions program = settling_program_for(setting);
  for (std::size_t i = 0; i < set.size(); ++i) program.tests.push_back({single({&set[i], 1}), single(without(set, i))});
  const std::vector<std::int64_t> others = without(set, 0);
  for (std::size_t i = 0; i < others.size(); ++i) {
    program.tests.push_back({single({set.data(), 1}), single(without(others, i))});
    if (setting.rounds.visit_target()) program.tests.back().walk.push_back({set.front(), 1});
  }
  const auto seen = evicted(session, program);
  return seen.size() == set.size() && seen.back() < set.size();  // each by the others, the first one by no fewer
}

/// All lines but the first of each page, in parts that do not overflow a set: of a quarter of what L2 holds.
std::vector<std::vector<Run>> parts_of_memory(const EvictionSetting& setting) {
  const std::int64_t page = setting.memory.lines_per_page();
  const std::int64_t part = std::max(setting.capacity_lines / 4, std::int64_t{1});
  std::vector<std::vector<Run>> parts;
  for (std::int64_t first = 0; first < setting.memory.lines(); first += part) {
    const std::int64_t end = std::min(first + part, setting.memory.lines());
    auto& runs = parts.emplace_back();
    for (std::int64_t line = first; line < end; line = (line / page + 1) * page) {
      const std::int64_t own = line + (line % page == 0 ? 1 : 0);
      const std::int64_t last = std::min((line / page + 1) * page, end);
      if (own < last) runs.push_back({own, last - own});
    }
    if (runs.empty()) parts.pop_back();
  }
  return parts;
}

/// Lines that walks over all eviction sets evict, ascending.
std::vector<std::int64_t> evicted_by_any(const Session& session, const EvictionSetting& setting,
                                         const std::vector<EvictionSet>& sets) {
  std::vector<std::int64_t> walked;
  for (const EvictionSet& set : sets) walked.insert(walked.end(), set.begin(), set.end());
  Evictions program = settling_program_for(setting);
  const auto parts = parts_of_memory(setting);
  for (const auto& part : parts) program.tests.push_back({part, single(walked)});
  const auto seen = evicted(session, program);
  std::vector<std::int64_t> lines;
  auto next = seen.begin();
  std::int64_t first = 0;  // target of the run
  for (const auto& part : parts) {
    for (const Run& run : part) {
      for (; next != seen.end() && *next < first + run.count; ++next) lines.push_back(run.first + *next - first);
      first += run.count;
    }
  }
  return lines;
}

}  // namespace

std::vector<EvictionSet> eviction_sets(const Session& session, const EvictionSetting& setting, std::size_t wanted) {
  // A few more than asked for, so that a failing search does not delay the others.
  std::vector<Search> searches;
  for (std::size_t i = 0; i < wanted + wanted / 6; ++i) {
    searches.emplace_back(setting, i + 1);
  }
  const auto found = [&] { return static_cast<std::size_t>(std::ranges::count_if(searches, &Search::found)); };
  // One line may fail where others do not. If two do, so will all.
  constexpr std::size_t pilots = 2;
  for (std::size_t i = 0; i < std::min(pilots, searches.size()) && found() == 0; ++i) {
    while (!searches[i].done()) advance_all(session, std::span(searches).subspan(i, 1));
  }
  if (found() == 0) return {};
  while (found() < wanted && !std::ranges::all_of(searches, &Search::done)) advance_all(session, searches);
  std::vector<EvictionSet> sets;
  for (const Search& search : searches) {
    if (search.found() && is_verified(session, setting, search.lines())) sets.push_back(search.lines());
  }
  return sets;
}

SetMembers members_of(const Session& session, const EvictionSetting& setting, const std::vector<EvictionSet>& sets) {
  if (sets.empty()) return {};
  const auto candidates = apart_from_neighbours(evicted_by_any(session, setting, sets), sets);
  SetMembers members;
  for (const EvictionSet& set : sets) {
    Evictions program = settling_program_for(setting);
    std::vector<std::int64_t> targets = set;
    std::vector<std::int64_t> ascending = set;
    std::ranges::sort(ascending);
    for (std::size_t i = 0; i < set.size(); ++i) {
      program.tests.push_back({single({&set[i], 1}), single(without(set, i))});
    }
    for (const auto& lines : candidates) {
      std::vector<std::int64_t> others;
      std::ranges::set_difference(lines, ascending, std::back_inserter(others));
      if (others.empty()) continue;
      program.tests.push_back({single(others), single(set)});
      targets.insert(targets.end(), others.begin(), others.end());
    }
    std::vector<double> medians;
    std::vector<std::int64_t> lines;
    for (const auto& [target, latencies] : late_latencies(session, program, trials_of_members)) {
      members.doubtful += latencies.size() == trials_of_members - 1 ? 1 : 0;
      if (latencies.size() < trials_of_members) continue;
      medians.push_back(analysis::median(latencies));
      lines.push_back(targets[target]);
    }
    const double threshold = memory_threshold(medians, setting.partitions);
    auto& own = members.lines.emplace_back();
    auto& copies = members.copies.emplace_back();
    for (std::size_t i = 0; i < lines.size(); ++i) (medians[i] > threshold ? own : copies).push_back(lines[i]);
    std::ranges::sort(own);
    std::ranges::sort(copies);
  }
  drop_lines_of_many_sets(members.lines, members.copies);
  return members;
}

Visits visit(const Session& session, const EvictionSetting& setting, const std::vector<std::int64_t>& lines,
             std::size_t last) {
  Evictions program = program_for(setting);
  program.walkers.resize(1);
  for (std::size_t i = lines.size() - last; i < lines.size(); ++i) {
    program.tests.push_back({single({&lines[i], 1}), single(std::span(lines).first(i))});
  }
  Visits visits{.lines = lines, .hits = std::vector<bool>(last, true)};
  for (const std::uint32_t missed : evicted(session, program)) visits.hits[missed] = false;
  return visits;
}

}  // namespace tomograph::data_cache
