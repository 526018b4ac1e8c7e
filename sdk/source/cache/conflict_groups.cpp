#include <algorithm>

#include "minimal_groups.hpp"
#include "overflowing_walks.hpp"
#include "tomograph/analysis/group_testing.hpp"
#include "tomograph/cache/sets.hpp"

namespace tomograph::cache {

namespace {

using Lines = std::vector<std::int64_t>;

std::int64_t size(const Lines& lines) { return std::ssize(lines); }

/// Walks target and pool, then tests whether the target is still there, `rounds` times.
chase::Program eviction_program(const Subject& subject, std::int64_t line_bytes, std::int64_t target, const Lines& pool,
                                std::int64_t rounds) {
  chase::Program program = program_for(subject, subject.indexed_region());
  Lines walked{target};
  walked.insert(walked.end(), pool.begin(), pool.end());
  add_ring(program, ring_over(walked, line_bytes));
  add_ring(program, ring_over(std::span(&target, 1), line_bytes, sample_offset));
  if (subject.shared) settle(program, subject, line_bytes, walked, rounds);
  for (std::int64_t round = 0; round < rounds; ++round) {
    program.phases.push_back({0, 0, 0, size(walked), chase::Timing::untimed});
    program.phases.push_back({0, 1, 0, 1, chase::Timing::each});
  }
  return program;
}

bool any_miss(const Subject& subject, const chase::Result& result) {
  return std::ranges::any_of(result.traces, [&](const auto& trace) {
    return std::ranges::any_of(trace.latency, [&](std::uint32_t latency) { return !is_hit(subject, result, latency); });
  });
}

/// One search from a random target and pool to a group, advanced in step with others so that batches are full.
class Reduction {
 public:
  Reduction(const Subject& subject, const SetSearch& search, std::uint64_t seed)
      : line_bytes_(search.line_bytes),
        region_(subject.indexed_region() / search.line_bytes),
        testing_({.most = region_,
                  .wanted = search.capacity_lines * 5 / 4 + 4,
                  .budget = search.budget / search.groups,
                  .seed = seed}) {
    draw();
  }

  /// Programs of the next step, none if there is none to take.
  [[nodiscard]] std::vector<chase::Program> step(const Subject& subject) {
    const auto next = testing_.step();
    std::vector<chase::Program> programs;
    for (const auto& pool : next.pools) {
      programs.push_back(eviction_program(subject, line_bytes_, target_, lines_of(pool), next.rounds));
      programs.back().trial = next.trial + (next.repeats ? std::ssize(programs) - 1 : 0);
    }
    return programs;
  }

  /// Takes the answers to `step`: whether the target was evicted.
  void advance(const std::vector<bool>& evicted) {
    testing_.advance(evicted);
    if (testing_.seed() != seed_) draw();
  }

  [[nodiscard]] bool done() const { return testing_.done(); }
  [[nodiscard]] bool found() const { return testing_.found(); }
  [[nodiscard]] Lines group() const {
    Lines lines{target_};
    for (const std::int64_t element : testing_.group()) lines.push_back(pool_[static_cast<std::size_t>(element)]);
    return lines;
  }

 private:
  void draw() {
    seed_ = testing_.seed();
    pool_ = random_choice(region_, testing_.elements() + 1, seed_);
    target_ = pool_.back();
    pool_.pop_back();
  }

  [[nodiscard]] Lines lines_of(const std::vector<analysis::ElementRun>& runs) const {
    Lines lines;
    for (const auto& run : runs) {
      lines.insert(lines.end(), pool_.begin() + run.first, pool_.begin() + run.first + run.count);
    }
    return lines;
  }

  std::int64_t line_bytes_;
  std::int64_t region_;  ///< lines that there are
  analysis::GroupTesting testing_;
  std::uint64_t seed_ = 0;
  std::int64_t target_ = 0;
  Lines pool_;
};

/// Advances all reductions by one step in one batch.
void advance_all(const Executor& execute, const Subject& subject, std::vector<Reduction>& reductions) {
  std::vector<chase::Program> programs;
  std::vector<std::size_t> counts(reductions.size(), 0);
  for (std::size_t i = 0; i < reductions.size(); ++i) {
    if (reductions[i].done()) continue;
    auto own = reductions[i].step(subject);
    counts[i] = own.size();
    std::ranges::move(own, std::back_inserter(programs));
  }
  const auto results = execute(programs);
  std::size_t next = 0;
  for (std::size_t i = 0; i < reductions.size(); ++i) {
    if (counts[i] == 0) continue;
    std::vector<bool> evicted;
    for (std::size_t k = 0; k < counts[i]; ++k) evicted.push_back(any_miss(subject, results[next++]));
    reductions[i].advance(evicted);
  }
}

}  // namespace

std::vector<ConflictGroup> conflict_groups(const Executor& execute, const Subject& subject, const SetSearch& search) {
  if (search.capacity_lines >= subject.indexed_region() / search.line_bytes) return {};
  // A few more than asked for, so that a failing search does not delay the others.
  const std::int64_t begun = search.groups + search.groups / 6;
  std::vector<Reduction> reductions;
  for (std::int64_t i = 0; i < begun; ++i) {
    reductions.emplace_back(subject, search, static_cast<std::uint64_t>(i + 1));
  }
  while (std::ranges::count_if(reductions, &Reduction::found) < search.groups &&
         !std::ranges::all_of(reductions, &Reduction::done)) {
    advance_all(execute, subject, reductions);
  }
  std::vector<Lines> groups;
  for (const Reduction& reduction : reductions) {
    if (reduction.found()) groups.push_back(reduction.group());
  }
  return minimal_groups(execute, subject, search.line_bytes, groups);
}

}  // namespace tomograph::cache
