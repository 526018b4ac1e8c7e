#include <algorithm>

#include "overflowing_walks.hpp"
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
///
/// A pool is only replaced by one that was seen to evict the target. That may have happened by chance: a misread load,
/// or a cache that holds fewer lines than it has tags and evicts a line of any set. So each step tests the pool itself
/// along with its parts, and if it no longer evicts the target, the larger pool before it takes its place again.
class Reduction {
 public:
  Reduction(const Subject& subject, const SetSearch& search, std::uint64_t seed)
      : line_bytes_(search.line_bytes),
        region_(subject.indexed_region() / search.line_bytes),
        budget_(search.budget / search.groups),
        seed_(seed),
        wanted_(search.capacity_lines * 5 / 4 + 4) {
    draw();
  }

  /// Programs of the next step, none if there is none to take.
  [[nodiscard]] std::vector<chase::Program> step(const Subject& subject) {
    std::vector<chase::Program> programs;
    for (const Lines& pool : candidates()) {
      programs.push_back(eviction_program(subject, line_bytes_, target_, pool, rounds_));
      programs.back().trial = trial_;
      if (stage_ == Stage::whole) ++trial_;
    }
    ++trial_;
    spent_ += cost();
    return programs;
  }

  /// Takes the answers to `step`: whether the target was evicted.
  void advance(const std::vector<bool>& evicted) {
    switch (stage_) {
      case Stage::whole: begin(evicted); break;
      case Stage::chunks: take_chunk(evicted); break;
      case Stage::together: take_together(evicted); break;
      case Stage::found:
      case Stage::failed: break;
    }
    if (!done() && spent_ + cost() > budget_) stage_ = Stage::failed;
  }

  [[nodiscard]] bool done() const { return stage_ == Stage::found || stage_ == Stage::failed; }
  [[nodiscard]] bool found() const { return stage_ == Stage::found; }
  [[nodiscard]] Lines group() const {
    Lines lines{target_};
    lines.insert(lines.end(), pool_.begin(), pool_.end());
    return lines;
  }

 private:
  /// What the next step tests: the whole pool, several times; the pool without each chunk in turn, and the pool itself;
  /// the pool without several chunks that it can spare one by one.
  enum class Stage { whole, chunks, together, found, failed };

  // Under LRU and FIFO one round shows an eviction; a random victim needs more. So a step that shows nothing is
  // repeated with more rounds: a random victim in 16 ways escapes 32 rounds with a probability of 0.13. All values were
  // chosen by hand.
  static constexpr std::int64_t first_rounds = 2;
  static constexpr std::int64_t most_rounds = 32;
  static constexpr int tests_of_whole = 3;
  static constexpr int most_mistakes = 8;
  static constexpr std::int64_t first_chunks = 8;

  void draw() {
    pool_ = random_choice(region_, std::min(region_, wanted_), seed_);
    target_ = pool_.back();
    pool_.pop_back();
    before_.clear();
    stage_ = Stage::whole;
    rounds_ = first_rounds;
    chunks_ = first_chunks;
  }

  [[nodiscard]] std::int64_t chunks() const { return std::min(chunks_, size(pool_)); }

  /// Loads of the next step, at most.
  [[nodiscard]] std::int64_t cost() const {
    const std::int64_t tests = stage_ == Stage::whole    ? tests_of_whole
                               : stage_ == Stage::chunks ? chunks() + 1
                                                         : std::ssize(spare_) - 1;
    return tests * (size(pool_) + 2) * rounds_;
  }

  /// The pool without the chunks in `spared`, which ascend.
  [[nodiscard]] Lines without(std::span<const std::int64_t> spared) const {
    Lines rest;
    auto next = spared.begin();
    for (std::int64_t chunk = 0; chunk < chunks(); ++chunk) {
      if (next != spared.end() && *next == chunk) {
        ++next;
        continue;
      }
      rest.insert(rest.end(), pool_.begin() + chunk * size(pool_) / chunks(),
                  pool_.begin() + (chunk + 1) * size(pool_) / chunks());
    }
    return rest;
  }

  [[nodiscard]] std::vector<Lines> candidates() const {
    std::vector<Lines> pools;
    if (stage_ == Stage::whole) pools.assign(tests_of_whole, pool_);
    if (stage_ == Stage::chunks) {
      for (std::int64_t chunk = 0; chunk < chunks(); ++chunk) pools.push_back(without({&chunk, 1}));
      pools.push_back(pool_);
    }
    if (stage_ == Stage::together) {
      for (std::size_t count = 2; count <= spare_.size(); ++count) {
        pools.push_back(without(std::span(spare_).first(count)));
      }
    }
    return pools;
  }

  void begin(const std::vector<bool>& evicted) {
    const auto times = std::ranges::count(evicted, true);
    if (times == tests_of_whole) {
      stage_ = Stage::chunks;
      rounds_ = first_rounds;
    } else if (rounds_ < most_rounds) {
      rounds_ *= 4;
    } else if (times == 0 && wanted_ >= region_) {
      stage_ = Stage::failed;
    } else {
      if (times == 0) wanted_ *= 2;
      draw_again();
    }
  }

  void take_chunk(const std::vector<bool>& evicted) {
    spare_.clear();
    for (std::int64_t chunk = 0; chunk < chunks(); ++chunk) {
      if (evicted[static_cast<std::size_t>(chunk)]) spare_.push_back(chunk);
    }
    if (std::ssize(spare_) == chunks()) spare_.pop_back();  // something must stay
    const bool itself = evicted.back();
    if (spare_.size() > 1)
      stage_ = Stage::together;
    else if (spare_.size() == 1)
      keep(without(spare_));
    else if (rounds_ < most_rounds)
      rounds_ *= 4;
    else if (!itself)
      take_back();
    else if (chunks() == size(pool_))
      stage_ = Stage::found;
    else
      refine();
  }

  void take_together(const std::vector<bool>& evicted) {
    const auto last = std::find(evicted.rbegin(), evicted.rend(), true);
    keep(without(std::span(spare_).first(static_cast<std::size_t>(std::distance(last, evicted.rend())) + 1)));
  }

  void keep(Lines smaller) {
    before_.push_back(std::move(pool_));
    pool_ = std::move(smaller);
    stage_ = pool_.size() == 1 ? Stage::found : Stage::chunks;
    rounds_ = first_rounds;
  }

  void refine() {
    chunks_ *= 2;
    rounds_ = first_rounds;
  }

  void take_back() {
    if (before_.empty() || ++mistakes_ > most_mistakes) return draw_again();
    pool_ = std::move(before_.back());
    before_.pop_back();
    rounds_ = first_rounds;
  }

  /// Numbers that no other reduction begins with.
  void draw_again() {
    constexpr std::uint64_t far = 1000;  // more than there are reductions
    seed_ += far;
    mistakes_ = 0;
    draw();
  }

  std::int64_t line_bytes_;
  std::int64_t region_;  ///< lines that there are
  std::int64_t budget_;  ///< loads that it may take
  std::uint64_t seed_;
  std::int64_t wanted_;  ///< size of the pool to start with; doubled while it does not evict the target
  std::int64_t target_ = 0;
  Lines pool_;
  std::vector<Lines> before_;        ///< larger pools that led to it, the last one at the end
  std::vector<std::int64_t> spare_;  ///< chunks that the pool can spare one by one
  std::int64_t chunks_ = first_chunks;
  std::int64_t rounds_ = first_rounds;
  std::int64_t trial_ = 0;
  std::int64_t spent_ = 0;
  int mistakes_ = 0;
  Stage stage_ = Stage::whole;
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

/// Those groups whose lines all together overflow and all but any one of them fit.
std::vector<ConflictGroup> minimal(const Executor& execute, const Subject& subject, std::int64_t line_bytes,
                                   const std::vector<Lines>& groups) {
  std::vector<Walk> walks;
  for (const Lines& lines : groups) {
    walks.push_back({lines, true});
    for (std::size_t i = 0; i < lines.size(); ++i) {
      walks.push_back({lines, false});
      auto& fewer = walks.back().lines;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  const auto answers = overflows(execute, subject, line_bytes, walks);
  std::vector<ConflictGroup> verified;
  auto at = answers.begin();
  for (const Lines& lines : groups) {
    const auto end = at + std::ssize(lines) + 1;
    if (*at && std::none_of(at + 1, end, [](bool overflow) { return overflow; })) verified.push_back({lines});
    at = end;
  }
  return verified;
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
  return minimal(execute, subject, search.line_bytes, groups);
}

}  // namespace tomograph::cache
