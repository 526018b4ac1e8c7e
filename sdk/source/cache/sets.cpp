#include "tomograph/cache/sets.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace tomograph::cache {

namespace {

using Lines = std::vector<std::int64_t>;

std::int64_t size(const Lines& lines) { return static_cast<std::int64_t>(lines.size()); }

chase::Ring ring_over(const Lines& lines, std::int64_t line_bytes, std::int64_t offset = 0) {
  chase::Ring ring{.array = 0};
  ring.nodes.reserve(lines.size());
  for (const std::int64_t line : lines) ring.nodes.push_back(line * line_bytes + offset);
  return ring;
}

/// Walks target and pool, then looks whether the target is still there, `rounds` times.
chase::Program eviction_program(const Subject& subject, std::int64_t line_bytes, std::int64_t target, const Lines& pool,
                                std::int64_t rounds) {
  chase::Program program = program_for(subject, subject.region());
  Lines walked{target};
  walked.insert(walked.end(), pool.begin(), pool.end());
  add_ring(program, ring_over(walked, line_bytes));
  add_ring(program, ring_over({target}, line_bytes, sample_offset));
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

/// Walks lines into the steady state, then times two more walks: a set that has more lines than ways misses at least
/// once in every walk, whatever its policy.
chase::Program overflow_program(const Subject& subject, std::int64_t line_bytes, const Lines& lines) {
  chase::Program program = program_for(subject, subject.region());
  add_ring(program, ring_over(lines, line_bytes));
  const std::int64_t walks = subject.disturbed ? 3 : 2;
  program.phases = {{0, 0, 0, 4 * size(lines), chase::Timing::untimed},
                    {0, 0, 0, std::min<std::int64_t>(walks * size(lines), timed_loads), chase::Timing::each}};
  return program;
}

/// Whether a walk of overflow_program missed, the first one, or the first half of a long one, aside where it is
/// disturbed.
bool overflowed(const Subject& subject, const chase::Result& result, const Lines& lines) {
  const auto& latency = result.traces.front().latency;
  const auto first = subject.disturbed ? std::min(lines.size(), latency.size() / 2) : 0;
  return std::ranges::any_of(std::span(latency).subspan(first),
                             [&](std::uint32_t one) { return !is_hit(subject, result, one); });
}

/// One search from a random target and pool to a group, advanced in step with others so that batches are full.
class Reduction {
 public:
  Reduction(const Subject& subject, const SetSearch& search, std::int64_t seed)
      : line_bytes_(search.line_bytes),
        region_(subject.region() / search.line_bytes),
        seed_(seed),
        wanted_(search.capacity_lines * 5 / 4 + 4) {
    draw();
  }

  /// Programs of the next step: the whole pool first, then the pool without each chunk in turn.
  [[nodiscard]] std::vector<chase::Program> step(const Subject& subject) const {
    std::vector<chase::Program> programs;
    if (!started_) {
      programs.push_back(eviction_program(subject, line_bytes_, target_, pool_, rounds_));
      return programs;
    }
    for (std::int64_t chunk = 0; chunk < chunks(); ++chunk) {
      programs.push_back(eviction_program(subject, line_bytes_, target_, without(chunk), rounds_));
    }
    return programs;
  }

  /// Takes the answers to `step`: whether the target was evicted.
  void advance(const std::vector<bool>& evicted) {
    const auto found = std::ranges::find(evicted, true);
    if (found == evicted.end()) {
      if (rounds_ < most_rounds) {
        rounds_ *= 4;
      } else {
        rounds_ = first_rounds;
        if (!started_ && wanted_ < region_) {
          wanted_ *= 2;
          draw();
          return;
        }
        done_ = !started_ || chunks() == size(pool_);
        failed_ = !started_;
        chunks_ *= 2;
      }
      return;
    }
    if (started_) pool_ = without(std::distance(evicted.begin(), found));
    started_ = true;
    rounds_ = first_rounds;
    done_ = pool_.size() == 1;
  }

  [[nodiscard]] bool done() const { return done_; }
  [[nodiscard]] bool failed() const { return failed_; }
  /// Loads of the next step, roughly.
  [[nodiscard]] std::int64_t cost() const { return (started_ ? chunks() : 1) * size(pool_) * rounds_; }
  [[nodiscard]] Lines group() const {
    Lines lines{target_};
    lines.insert(lines.end(), pool_.begin(), pool_.end());
    return lines;
  }

 private:
  // Under LRU and FIFO one round shows an eviction; a random victim needs more, so a step that shows nothing is
  // repeated with more rounds before it is believed.
  static constexpr std::int64_t first_rounds = 2;
  static constexpr std::int64_t most_rounds = 32;

  void draw() {
    pool_ = random_choice(region_, std::min(region_, wanted_), static_cast<std::uint64_t>(seed_));
    target_ = pool_.back();
    pool_.pop_back();
  }
  [[nodiscard]] std::int64_t chunks() const { return std::min(chunks_, size(pool_)); }
  [[nodiscard]] Lines without(std::int64_t chunk) const {
    const std::int64_t first = chunk * size(pool_) / chunks();
    const std::int64_t last = (chunk + 1) * size(pool_) / chunks();
    Lines rest(pool_.begin(), pool_.begin() + first);
    rest.insert(rest.end(), pool_.begin() + last, pool_.end());
    return rest;
  }

  std::int64_t line_bytes_;
  std::int64_t region_;  ///< lines that there are
  std::int64_t seed_;
  std::int64_t wanted_;  ///< size of the pool to start with; doubled while it does not evict the target
  std::int64_t target_ = 0;
  Lines pool_;
  std::int64_t chunks_ = 8;
  std::int64_t rounds_ = first_rounds;
  bool started_ = false;
  bool done_ = false;
  bool failed_ = false;
};

/// Whether each list of lines overflows a set.
std::vector<bool> overflows(const Executor& execute, const Subject& subject, std::int64_t line_bytes,
                            std::span<const Lines> lists) {
  std::vector<chase::Program> programs;
  programs.reserve(lists.size());
  for (const Lines& lines : lists) programs.push_back(overflow_program(subject, line_bytes, lines));
  const auto results = execute(programs);
  std::vector<bool> answers;
  answers.reserve(results.size());
  for (std::size_t i = 0; i < results.size(); ++i) answers.push_back(overflowed(subject, results[i], lists[i]));
  return answers;
}

/// Whether all lines together overflow and all but any one of them fit.
bool is_minimal(const Executor& execute, const Subject& subject, std::int64_t line_bytes, const Lines& lines) {
  std::vector<Lines> lists{lines};
  for (std::size_t i = 0; i < lines.size(); ++i) {
    lists.push_back(lines);
    lists.back().erase(lists.back().begin() + static_cast<std::ptrdiff_t>(i));
  }
  const auto answers = overflows(execute, subject, line_bytes, lists);
  return answers.front() && std::none_of(answers.begin() + 1, answers.end(), [](bool overflow) { return overflow; });
}

/// Advances all reductions by one step in one batch. Returns the loads that it took.
std::int64_t advance_all(const Executor& execute, const Subject& subject, std::vector<Reduction>& reductions) {
  std::vector<chase::Program> programs;
  std::vector<std::size_t> counts(reductions.size(), 0);
  std::int64_t cost = 0;
  for (std::size_t i = 0; i < reductions.size(); ++i) {
    if (reductions[i].done()) continue;
    cost += reductions[i].cost();
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
  return cost;
}

/// Byte-offset differences of lines that share a set, by the groups' first lines.
std::vector<std::uint64_t> differences_of(std::span<const ConflictGroup> groups, std::int64_t line_bytes) {
  std::vector<std::uint64_t> differences;
  for (const ConflictGroup& group : groups) {
    for (std::size_t i = 1; i < group.lines.size(); ++i) {
      differences.push_back(static_cast<std::uint64_t>((group.lines[i] * line_bytes) ^ (group.lines[0] * line_bytes)));
    }
  }
  return differences;
}

/// For each set the number of its lines that fit: by bisection over all sets at once, first guess `ways`.
std::optional<std::vector<std::int64_t>> count_ways(const Executor& execute, const Subject& subject,
                                                    std::int64_t line_bytes, const std::vector<Lines>& sets,
                                                    std::int64_t ways) {
  struct Bounds {
    std::int64_t fits = 0;
    std::int64_t misses = 0;
  };
  std::vector<Bounds> bounds;
  for (const Lines& lines : sets) bounds.push_back({0, size(lines) + 1});
  for (int step = 0; step < 64; ++step) {
    std::vector<Lines> lists;
    std::vector<std::pair<std::size_t, std::int64_t>> asked;
    for (std::size_t set = 0; set < sets.size(); ++set) {
      const auto [fits, misses] = bounds[set];
      if (misses - fits <= 1) continue;
      std::set<std::int64_t> lengths;
      if (step == 0)
        lengths = {std::min(ways, size(sets[set])), std::min(ways + 1, size(sets[set]))};
      else
        lengths = {(fits + misses) / 2};
      for (const std::int64_t length : lengths) {
        lists.emplace_back(sets[set].begin(), sets[set].begin() + length);
        asked.emplace_back(set, length);
      }
    }
    if (asked.empty()) break;
    const auto answers = overflows(execute, subject, line_bytes, lists);
    for (std::size_t i = 0; i < asked.size(); ++i) {
      auto& bound = bounds[asked[i].first];
      if (answers[i])
        bound.misses = std::min(bound.misses, asked[i].second);
      else
        bound.fits = std::max(bound.fits, asked[i].second);
    }
  }
  std::vector<std::int64_t> counted;
  for (std::size_t set = 0; set < sets.size(); ++set) {
    const auto [fits, misses] = bounds[set];
    if (misses != fits + 1 || misses > size(sets[set])) return std::nullopt;
    counted.push_back(fits);
  }
  return counted;
}

}  // namespace

std::vector<std::vector<std::int64_t>> lines_by_set(const analysis::LinearIndex& index, std::int64_t line_bytes,
                                                    std::int64_t region) {
  std::vector<Lines> sets(std::size_t{1} << index.bits());
  for (std::int64_t line = 0; line < region / line_bytes; ++line) {
    std::size_t set = 0;
    for (std::size_t bit = 0; bit < index.masks.size(); ++bit) {
      const auto parity =
          static_cast<unsigned>(__builtin_parityll(index.masks[bit] & static_cast<std::uint64_t>(line * line_bytes)));
      set |= static_cast<std::size_t>(parity) << (index.masks.size() - 1 - bit);
    }
    sets[set].push_back(line);
  }
  return sets;
}

std::vector<ConflictGroup> conflict_groups(const Executor& execute, const Subject& subject, const SetSearch& search) {
  if (search.capacity_lines >= subject.region() / search.line_bytes) return {};
  std::vector<Reduction> reductions;
  for (std::int64_t i = 0; i < search.groups; ++i) reductions.emplace_back(subject, search, i + 1);
  std::int64_t spent = 0;
  while (std::ranges::any_of(reductions, [](const Reduction& one) { return !one.done(); })) {
    spent += advance_all(execute, subject, reductions);
    if (spent > search.budget) break;
  }
  std::vector<ConflictGroup> groups;
  for (const Reduction& reduction : reductions) {
    if (!reduction.done() || reduction.failed()) continue;
    if (is_minimal(execute, subject, search.line_bytes, reduction.group())) groups.push_back({reduction.group()});
  }
  return groups;
}

std::int64_t Sets::lines() const { return std::accumulate(set_ways.begin(), set_ways.end(), std::int64_t{0}); }

bool Sets::equal() const { return std::ranges::adjacent_find(set_ways, std::not_equal_to<>{}) == set_ways.end(); }

std::optional<Sets> recover_sets(const Executor& execute, const Subject& subject, const SetSearch& search,
                                 std::span<const ConflictGroup> groups) {
  const auto differences = differences_of(groups, search.line_bytes);
  if (differences.empty()) return std::nullopt;
  const auto varied =
      static_cast<std::uint64_t>(subject.region() - 1) & ~static_cast<std::uint64_t>(search.line_bytes - 1);
  Sets sets{.index = analysis::recover_index(differences, varied), .set_ways = {}, .differences = differences.size()};
  const auto bits = sets.index.bits();
  while (sets.confirming < differences.size()) {
    const auto fewer = std::span(differences).first(differences.size() - sets.confirming - 1);
    if (fewer.empty() || analysis::recover_index(fewer, varied).bits() != bits) break;
    ++sets.confirming;
  }
  constexpr std::size_t most_index_bits = 12;
  if (bits > most_index_bits) return std::nullopt;
  std::map<std::int64_t, int> sizes;
  for (const ConflictGroup& group : groups) ++sizes[group.ways()];
  const auto common = std::ranges::max_element(sizes, {}, [](const auto& entry) { return entry.second; })->first;
  auto counted = count_ways(execute, subject, search.line_bytes,
                            lines_by_set(sets.index, search.line_bytes, subject.region()), common);
  if (!counted) return std::nullopt;
  sets.set_ways = std::move(*counted);
  return sets;
}

std::vector<analysis::Retention> random_placement(const Executor& execute, const Subject& subject,
                                                  const SetSearch& search, std::int64_t samples) {
  // The region is much larger than the cache where it can be, so that a line tells nothing about the set of another.
  const std::int64_t region = std::min(std::max(64 * search.capacity_lines, page_bytes / search.line_bytes),
                                       subject.largest / search.line_bytes);
  // Several draws of places, since one draw has a spread of its own: relative to a small cache.
  constexpr std::int64_t large = 16384;
  const int draws = search.capacity_lines < large ? 4 : 1;
  std::vector<Footprint> footprints;
  std::uint64_t seed = 1;
  for (const double factor : {0.7, 0.85, 1.0, 1.2, 1.5, 2.0}) {
    const auto lines = static_cast<std::int64_t>(factor * static_cast<double>(search.capacity_lines));
    if (lines > region) continue;
    for (int draw = 0; draw < draws; ++draw, ++seed) {
      footprints.push_back({.ring = ring_over(random_choice(region, lines, seed), search.line_bytes),
                            .bytes = region * search.line_bytes,
                            .passes = 4,
                            .samples = samples,
                            .seed = seed});
    }
  }
  std::vector<analysis::Retention> observations;
  const auto all = retained(execute, subject, footprints);
  for (const Retained& seen : all) {
    observations.push_back({static_cast<std::size_t>(seen.nodes), static_cast<std::size_t>(seen.sampled),
                            static_cast<std::size_t>(seen.hits)});
  }
  return observations;
}

}  // namespace tomograph::cache
