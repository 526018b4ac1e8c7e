#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <iterator>
#include <numeric>

#include "minimal_groups.hpp"
#include "overflowing_walks.hpp"
#include "tomograph/cache/sets.hpp"

namespace tomograph::cache {

namespace {

using Lines = std::vector<std::int64_t>;

/// How long lines are watched: until those that miss did so `misses` times on average, or for `walks` timed walks.
/// Under random replacement, a line of a set with one line too many misses in 2 / (ways + 1) of them: of 24 ways in one
/// of 12.
struct Watch {
  double misses;
  std::int64_t walks;
};
/// Fewer than 3 misses where 10 are expected: once in 360 times (Poisson).
constexpr Watch watch_of_pool{10, 128};
/// The same where 20 are expected: once in 2 * 10^6 times. A line of another set that does not miss here spoils a
/// group.
constexpr Watch watch_of_few{20, 256};
/// Walks after which the watch may end. A choice.
constexpr std::int64_t walks_at_once = 16;
/// Probability that misread loads make any line of a pool miss whose set does not overflow. A choice: a wrong group
/// costs time, but minimal_groups drops it.
constexpr double false_alarm = 0.05;

/// From how many misses on a line is said to miss: more than loads are misread, but for false alarms.
std::int64_t least_misses(const Subject& subject, std::size_t lines, std::int64_t walks) {
  const boost::math::binomial_distribution<double> late(static_cast<double>(walks * subject.touches),
                                                        subject.threshold.false_miss);
  std::int64_t least = 1;
  while (cdf(complement(late, static_cast<double>(least - 1))) * static_cast<double>(lines) > false_alarm) ++least;
  return least;
}

/// Searches for groups one after the other, and counts its loads.
class Search {
 public:
  Search(const Executor& execute, const Subject& subject, const SetSearch& search)
      : execute_(&execute), subject_(&subject), search_(&search) {}

  [[nodiscard]] bool done() const { return spent_ >= search_->budget || std::ssize(groups_) >= search_->groups; }
  [[nodiscard]] const std::vector<ConflictGroup>& groups() const { return groups_; }

  /// Adds the groups that a pool holds, if walks over it miss as often as they do with the sets of all groups.
  void add_from(const Lines& pool) {
    std::vector<std::int64_t> times(pool.size(), 0);
    add_misses(pool, 1, times);  // leaves few lines of earlier pools
    std::ranges::fill(times, 0);
    add_misses(pool, 1, times);
    const auto all = static_cast<double>(std::accumulate(times.begin(), times.end(), std::int64_t{0}));
    const std::size_t before = groups_.size();
    if (all < misses_of_set_ * static_cast<double>(search_->groups - std::ssize(groups_))) return;
    separate(missing_in_the_end(missing_of(pool, watch_of_pool)));
    if (groups_.size() > before)
      misses_of_set_ = std::max(misses_of_set_, all / static_cast<double>(groups_.size() - before));
  }

 private:
  /// Walks over fewer lines leave less of what missed only because its set still held lines of earlier pools.
  [[nodiscard]] Lines missing_in_the_end(Lines lines) {
    for (;;) {
      Lines missing = missing_of(lines, watch_of_few);
      const bool nearly_all = 10 * missing.size() >= 9 * lines.size();
      lines = std::move(missing);
      if (nearly_all || done()) return lines;
    }
  }

  /// Adds the groups of which these lines consist: those that stop missing without one line.
  void separate(Lines missing) {
    while (!missing.empty() && !done()) {
      Lines group{missing.back()};
      missing.pop_back();
      Lines still = missing_of(missing, watch_of_few);
      std::ranges::copy_if(missing, std::back_inserter(group),
                           [&](std::int64_t line) { return std::ranges::find(still, line) == still.end(); });
      if (group.size() == 1) continue;  // its set had two lines too many or more: now one less
      std::ranges::move(minimal_groups(*execute_, *subject_, search_->line_bytes, {&group, 1}),
                        std::back_inserter(groups_));
      missing = std::move(still);
    }
  }

  /// The lines that miss more often than loads are misread, in their order.
  [[nodiscard]] Lines missing_of(const Lines& lines, const Watch& watch) {
    std::vector<std::int64_t> times(lines.size(), 0);
    Lines missing;
    double mean = 0;
    for (std::int64_t walks = walks_at_once; walks <= watch.walks && mean < watch.misses && !done();
         walks += walks_at_once) {
      add_misses(lines, walks_at_once, times);
      const std::int64_t least = least_misses(*subject_, lines.size(), walks);
      missing.clear();
      std::int64_t all = 0;
      for (std::size_t i = 0; i < lines.size(); ++i) {
        if (times[i] < least) continue;
        missing.push_back(lines[i]);
        all += times[i];
      }
      mean = static_cast<double>(all) / std::max(static_cast<double>(missing.size()), 1.0);
    }
    return missing;
  }

  /// Adds to `times` how many of the timed loads of each line missed, in walks over all of them.
  void add_misses(const Lines& lines, std::int64_t walks, std::vector<std::int64_t>& times) {
    if (lines.empty()) return;
    const std::int64_t nodes = std::ssize(lines) * subject_->touches;
    const std::int64_t most = std::max(subject_->most_timed / nodes, std::int64_t{1}) * nodes;
    for (std::int64_t first = 0; first < walks * nodes;) {
      std::vector<chase::Program> programs;
      for (; programs.size() < batch && first < walks * nodes; ++trial_) {
        const std::int64_t left = std::min({subject_->most_timed, most - first % most, walks * nodes - first});
        programs.push_back(program_of(lines, first % nodes, left));
        first += left;
      }
      count(programs, times);
    }
  }

  /// Walks lines into the steady state, then times loads of the next walk, from node `first` on.
  [[nodiscard]] chase::Program program_of(const Lines& lines, std::int64_t first, std::int64_t loads) const {
    chase::Program program = program_for(*subject_, subject_->indexed_region());
    program.trial = trial_;
    add_ring(program, touching_ring(*subject_, lines, search_->line_bytes));
    settle(program, *subject_, search_->line_bytes, lines, trial_);
    if (first > 0) program.phases.push_back({0, 0, 0, first, chase::Timing::untimed});
    program.phases.push_back({0, 0, first, loads, chase::Timing::each});
    return program;
  }

  void count(const std::vector<chase::Program>& programs, std::vector<std::int64_t>& times) {
    const auto results = (*execute_)(programs);
    for (std::size_t i = 0; i < programs.size(); ++i) {
      for (const auto& phase : programs[i].phases) spent_ += phase.loads;
      auto node = static_cast<std::size_t>(programs[i].phases.back().first);
      for (const std::uint32_t latency : results[i].traces.front().latency) {
        const std::size_t line = node++ / static_cast<std::size_t>(subject_->touches) % times.size();
        times[line] += is_hit(*subject_, results[i], latency) ? 0 : 1;
      }
    }
  }

  static constexpr std::size_t batch = 16;  ///< programs: a choice, rings may have tens of thousands of nodes

  const Executor* execute_;
  const Subject* subject_;
  const SetSearch* search_;
  std::vector<ConflictGroup> groups_;
  double misses_of_set_ = 2;  ///< in a walk, of a set with one line too many: at first those under random replacement
  std::int64_t trial_ = 0;
  std::int64_t spent_ = 0;
};

}  // namespace

std::vector<ConflictGroup> conflict_groups_by_misses(const Executor& execute, const Subject& subject,
                                                     const SetSearch& search) {
  const std::int64_t region = subject.indexed_region() / search.line_bytes;
  Search found(execute, subject, search);
  // Sets of 1 to 24 ways begin to overflow between a quarter of all lines, if there are many sets, and all of them.
  std::uint64_t seed = 1;
  for (std::int64_t size = search.capacity_lines / 4;
       size <= std::min(2 * search.capacity_lines, region) && !found.done(); size += size / 8 + 1, ++seed) {
    found.add_from(random_choice(region, size, seed));
  }
  return found.groups();
}

}  // namespace tomograph::cache
