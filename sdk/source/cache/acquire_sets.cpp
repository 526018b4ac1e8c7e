#include <algorithm>
#include <map>

#include "analysis_sets.hpp"
#include "overflowing_walks.hpp"
#include "tomograph/cache/sets.hpp"

namespace tomograph::cache {

namespace {

using Lines = std::vector<std::int64_t>;

std::int64_t count_of(const Lines& lines) { return static_cast<std::int64_t>(lines.size()); }

/// Counts the lines of each set that fit, over all sets at once.
class WayCount {
 public:
  WayCount(const Executor& execute, const Subject& subject, std::int64_t line_bytes, const std::vector<Lines>& sets)
      : execute_(execute), subject_(subject), line_bytes_(line_bytes), sets_(sets) {
    for (const Lines& lines : sets) bounds_.push_back({0, count_of(lines) + 1});
  }

  /// Asks whether each set holds so many lines and no more.
  void guess(std::int64_t ways) {
    std::vector<Question> questions;
    for (std::size_t set = 0; set < sets_.size(); ++set) {
      const std::int64_t all = count_of(sets_[set]);
      questions.push_back({set, std::min(ways, all)});
      if (ways + 1 <= all) questions.push_back({set, ways + 1, true});
    }
    ask(questions);
  }

  void bisect() {
    std::vector<Question> questions;
    do {
      questions.clear();
      for (std::size_t set = 0; set < sets_.size(); ++set) {
        const auto [fits, misses, sure] = bounds_[set];
        if (misses - fits > 1) questions.push_back({set, (fits + misses) / 2});
      }
      ask(questions);
    } while (!questions.empty());
  }

  /// Asks sets that seem to hold fewer lines than most whether they hold one more. Where victims are random or new
  /// lines leave first, walks may not have settled; one without a miss proves that its lines fit. Returns whether there
  /// was one: then still more may fit.
  bool find_unsettled() {
    // Each of up to three walks. The first three left 1 in 1,300 sets of random GPUs unsettled, these none of 13,000.
    constexpr int attempts = 4;
    const std::int64_t usual = most_common();
    std::vector<Question> questions;
    for (std::size_t set = 0; set < sets_.size(); ++set) {
      const auto [fits, misses, sure] = bounds_[set];
      if (!sure && fits < usual && misses <= count_of(sets_[set])) questions.push_back({set, misses});
    }
    bool found = false;
    for (int attempt = 0; attempt < attempts; ++attempt) {
      ask(questions);
      found |= std::erase_if(questions, [&](const Question& one) { return bounds_[one.set].fits == one.lines; }) > 0;
    }
    for (const Question& one : questions) bounds_[one.set].sure = true;
    return found;
  }

  /// Nothing if a set holds all of its lines.
  [[nodiscard]] std::optional<std::vector<std::int64_t>> counted() const {
    std::vector<std::int64_t> counted;
    for (std::size_t set = 0; set < sets_.size(); ++set) {
      if (bounds_[set].misses > count_of(sets_[set])) return std::nullopt;
      counted.push_back(bounds_[set].fits);
    }
    return counted;
  }

 private:
  struct Bounds {
    std::int64_t fits = 0;
    std::int64_t misses = 0;
    bool sure = false;  ///< asked again
  };
  /// Whether the first so many lines of a set fit.
  struct Question {
    std::size_t set = 0;
    std::int64_t lines = 0;
    bool overflow_expected = false;
  };

  void ask(std::span<const Question> questions) {
    std::vector<Walk> walks;
    for (const Question& one : questions) {
      const Lines& lines = sets_[one.set];
      walks.push_back({{lines.begin(), lines.begin() + one.lines}, one.overflow_expected});
    }
    if (walks.empty()) return;
    const auto answers = overflows(execute_, subject_, line_bytes_, walks);
    for (std::size_t i = 0; i < questions.size(); ++i) {
      auto& [fits, misses, sure] = bounds_[questions[i].set];
      if (answers[i]) {
        misses = std::min(misses, questions[i].lines);
      } else {
        fits = std::max(fits, questions[i].lines);
        if (misses <= fits) misses = count_of(sets_[questions[i].set]) + 1;
      }
    }
  }

  [[nodiscard]] std::int64_t most_common() const {
    std::map<std::int64_t, int> counts;
    for (const Bounds& one : bounds_) ++counts[one.fits];
    return std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; })->first;
  }

  const Executor& execute_;
  const Subject& subject_;
  std::int64_t line_bytes_;
  const std::vector<Lines>& sets_;
  std::vector<Bounds> bounds_;
};

/// For each set the number of its lines that fit, `ways` in most. Nothing if the lines of a set are too few to tell.
std::optional<std::vector<std::int64_t>> count_ways(const Executor& execute, const Subject& subject,
                                                    std::int64_t line_bytes, const std::vector<Lines>& sets,
                                                    std::int64_t ways) {
  WayCount count(execute, subject, line_bytes, sets);
  count.guess(ways);
  do {
    count.bisect();
  } while (count.find_unsettled());
  return count.counted();
}

}  // namespace

std::optional<Sets> recover_sets(const Executor& execute, const Subject& subject, const SetSearch& search,
                                 std::span<const ConflictGroup> groups) {
  if (std::ranges::all_of(groups, [](const ConflictGroup& group) { return group.lines.size() < 2; }))
    return std::nullopt;
  const std::uint64_t varied = subject.indexed_bits() & ~static_cast<std::uint64_t>(search.line_bytes - 1);
  Sets sets = index_of(groups, search.line_bytes, varied);
  constexpr std::size_t most_sets = 4096;  // their ways take 8192 programs at first
  if (count_of(sets) > most_sets) return std::nullopt;
  std::map<std::int64_t, int> sizes;
  for (const ConflictGroup& group : groups) ++sizes[group.ways()];
  const auto common = std::ranges::max_element(sizes, {}, [](const auto& entry) { return entry.second; })->first;
  auto counted = count_ways(execute, subject, search.line_bytes,
                            lines_by_set(sets, search.line_bytes, subject.indexed_region()), common);
  if (!counted) return std::nullopt;
  sets.set_ways = std::move(*counted);
  if (!fits_groups(sets, groups, search.line_bytes)) return std::nullopt;
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
