#include "analysis_levels.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include "tomograph/analysis/latency_modes.hpp"
#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::tlb {

namespace {

/// Modes finer than so many steps of the clock and this share of the latency are jitter; a mode holds at least
/// `least_mode` of the visits. Chosen by hand.
constexpr double jitter_steps = 1.5;
constexpr double jitter_share = 0.02;
constexpr double least_mode = 0.05;
analysis::ModeResolution resolution(double clock_step) {
  return {.absolute = jitter_steps * clock_step, .relative = jitter_share, .min_weight = least_mode};
}
/// Successive walks that make a plateau. Chosen by hand.
constexpr std::size_t plateau_walks = 3;

/// The most passes of a walk. A miss must then cost at least 12.5 / 12 = 1.04 standard deviations of noise.
constexpr std::int64_t most_passes = 144;

/// The median of n normal deviates has the standard deviation 1.2533 noise / sqrt(n). With this n, the threshold is
/// 12.5 / (2 * 1.2533) = 4.99 of them away, which is exceeded with probability 3e-7.
double needed_passes(const Level& level) {
  return std::pow(12.5 * level.noise / std::max(level.miss - level.hit, 1.0), 2);
}

/// Modes at `cycles` of extra latency that are closer than this are one.
double tolerance(double cycles, double clock_step) {
  // Steps of the clock, and a share of the latency. Chosen by hand.
  constexpr double steps = 1.25;
  constexpr double share = 0.03;
  return steps * clock_step + share * std::abs(cycles);
}

/// The fewest cycles that a miss takes: what GPUs' lines differ by, but where visits vary less, what stands out from
/// them.
double least_miss(double deviation) {
  constexpr double stands_out = 2;    // nearer normal modes make one peak
  constexpr double lines_differ = 4;  // chosen by hand
  return std::min(lines_differ, stands_out * deviation);
}

struct Plateau {
  double cycles = 0;
  std::size_t walks = 0;
  bool wide = true;  ///< the last walk has nearly three times the pages of the first
};

std::map<std::int64_t, std::vector<const Cell*>> by_stride(std::span<const Cell> matrix) {
  std::map<std::int64_t, std::vector<const Cell*>> rows;
  for (const Cell& cell : matrix) rows[cell.stride].push_back(&cell);
  for (auto& [stride, cells] : rows) std::ranges::sort(cells, {}, &Cell::pages);
  return rows;
}

/// Adds the modes that stay where they are in successive walks of one stride.
void add_plateaus(const std::vector<const Cell*>& row, double clock_step, std::vector<Plateau>& found) {
  struct Run {
    std::vector<double> seen;
    std::int64_t first = 0;
    std::int64_t last = 0;
    bool grown = true;
  };
  std::vector<Run> open;
  const auto close = [&](const Run& run) {
    if (run.seen.size() < plateau_walks) return;
    // Between a level and one of four times its reach, walks of 3/2 and 4 times its pages have one plateau.
    found.push_back({analysis::median(run.seen), run.seen.size(), 3 * run.last >= 8 * run.first});
  };
  for (const Cell* cell : row) {
    for (Run& run : open) run.grown = false;
    for (const analysis::Mode& mode : analysis::modes(cell->extra_latency, resolution(clock_step))) {
      const double near = tolerance(mode.location, clock_step);
      const auto run = std::ranges::find_if(open, [&](const Run& one) {
        return !one.grown && std::abs(one.seen.front() - mode.location) <= near &&
               std::abs(one.seen.back() - mode.location) <= near;
      });
      if (run == open.end()) {
        open.push_back({{mode.location}, cell->pages, cell->pages, true});
      } else {
        run->seen.push_back(mode.location);
        run->last = cell->pages;
        run->grown = true;
      }
    }
    std::erase_if(open, [&](const Run& run) {
      if (!run.grown) close(run);
      return !run.grown;
    });
  }
  std::ranges::for_each(open, close);
}

/// Removes narrow plateaus close to wide ones: noise may have mixed them from the modes on either side. Above the
/// highest plateau, walks of more pages might show another one. Returns the height of the highest that was removed.
std::optional<double> drop_mixtures(std::vector<Plateau>& plateaus, double noise) {
  // Two modes 7 standard deviations apart overlap in 2.3e-4 of each (3.5 on either side of the middle). At 3.5 they
  // still make two peaks, with a valley of 43 % of their height in between, so one peak is no mixture of them.
  constexpr double clear = 7;
  constexpr double two_peaks = 3.5;
  if (plateaus.empty()) return std::nullopt;
  std::vector<double> wide;
  for (const Plateau& one : plateaus) {
    if (one.wide) wide.push_back(one.cycles);
  }
  const double highest = std::ranges::max_element(plateaus, {}, &Plateau::cycles)->cycles;
  std::optional<double> removed;
  std::erase_if(plateaus, [&](const Plateau& one) {
    const double apart = (one.cycles == highest ? two_peaks : clear) * noise;
    const bool is_mixture =
        !one.wide && std::ranges::any_of(wide, [&](double other) { return std::abs(other - one.cycles) < apart; });
    if (is_mixture) removed = std::max(removed.value_or(one.cycles), one.cycles);
    return is_mixture;
  });
  return removed;
}

/// Merges plateaus of the same height over all strides; in ascending order.
std::vector<Plateau> merged(std::vector<Plateau> plateaus, double clock_step, double floor) {
  std::ranges::sort(plateaus, {}, &Plateau::cycles);
  std::vector<std::vector<Plateau>> groups;
  for (const Plateau& one : plateaus) {
    const double near = std::max(floor / 2, tolerance(one.cycles, clock_step));
    if (groups.empty() || one.cycles - groups.back().back().cycles > near) {
      groups.emplace_back();
    }
    groups.back().push_back(one);
  }
  std::vector<Plateau> result;
  for (const auto& group : groups) {
    std::vector<double> weighted;
    for (const Plateau& one : group) weighted.insert(weighted.end(), one.walks, one.cycles);
    result.push_back({analysis::median(weighted), weighted.size(), true});
  }
  return result;
}

/// Mean of the walks that lie on one plateau as a whole. (Their medians are whole cycles.)
double refined(std::span<const Cell> matrix, double plateau, double noise, double clock_step) {
  // Visits of a walk; the distance of their outer deciles, 2.6 standard deviations of normal noise, and what lines
  // differ by; the distance of a visit from the plateau. Chosen by hand.
  constexpr std::size_t least_visits = 16;
  constexpr double spread_of_noise = 4;
  constexpr double spread_of_lines = 0.05;
  constexpr double near_plateau = 5;
  std::vector<double> seen;
  const double same = tolerance(plateau, clock_step);
  for (const Cell& cell : matrix) {
    if (cell.extra_latency.size() < least_visits || std::abs(analysis::median(cell.extra_latency) - plateau) > same)
      continue;
    const double spread = analysis::quantile(cell.extra_latency, 0.9) - analysis::quantile(cell.extra_latency, 0.1);
    if (spread > spread_of_noise * noise + spread_of_lines * plateau) continue;
    // A few visits may also have missed the next level.
    const double near = near_plateau * noise + same;
    std::ranges::copy_if(cell.extra_latency, std::back_inserter(seen),
                         [&](double cycles) { return std::abs(cycles - plateau) <= near; });
  }
  // On either side; delays are rarer.
  constexpr double trimmed = 0.05;
  return seen.empty() ? plateau : analysis::trimmed_mean(seen, trimmed);
}

/// The share of visits that normal noise lifts from a hit beyond the threshold.
double share_beyond(const Level& level) {
  return std::erfc((level.miss - level.hit) / 2 / level.noise / std::sqrt(2.0)) / 2;
}

/// The most visits that may exceed the threshold although all of them hit. Large walks time each page once. Noise alone
/// gives 3e-5 at a sharp level. Else it exceeds 3 standard deviations above the expected number with probability
/// 1.4e-3.
double most_false_misses(const Level& level, double visits) {
  // For other delays, and for walks of few misses, which then count as fitting. Chosen by hand.
  constexpr double share_of_sharp = 0.02;
  constexpr double least_share = 0.3;
  if (level.sharp()) return share_of_sharp * visits;
  const double share = share_beyond(level);
  return std::max(least_share * visits, share * visits + 3 * std::sqrt(share * (1 - share) * visits));
}

/// The least that the largest walks of a stride take, of those that take clearly more than the last level.
std::optional<double> beyond(std::span<const Cell> matrix, double top, double noise) {
  constexpr std::size_t several = 2;
  std::vector<double> higher;
  for (const auto& [stride, row] : by_stride(matrix)) {
    const double largest = analysis::median(row.back()->extra_latency);
    if (largest >= clearly_above(top, noise)) higher.push_back(largest);
  }
  if (higher.size() < several) return std::nullopt;
  return std::ranges::min(higher);
}

}  // namespace

double clearly_above(double top, double noise) {
  constexpr double clear = 7;    // deviations, which no median of noise reaches
  constexpr double apart = 0.3;  // of the last level: ten times what counts as the same height
  return top + std::max(clear * noise, apart * top);
}

std::int64_t Level::passes() const {
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(std::ceil(needed_passes(*this))), 1, most_passes) | 1;
}

bool Level::resolvable() const { return needed_passes(*this) <= static_cast<double>(most_passes); }

Staircase find_levels(std::span<const Cell> matrix, double noise, double clock_step, std::optional<double> deviation) {
  const double floor = std::max(jitter_steps * clock_step, least_miss(deviation.value_or(noise)));
  std::vector<Plateau> plateaus;
  for (const auto& [stride, row] : by_stride(matrix)) add_plateaus(row, clock_step, plateaus);
  const std::optional<double> mixture = drop_mixtures(plateaus, deviation.value_or(noise));
  auto heights = merged(std::move(plateaus), clock_step, floor);
  for (Plateau& one : heights) one.cycles = refined(matrix, one.cycles, noise, clock_step);
  Staircase found;
  double top = heights.empty() ? 0 : heights.front().cycles;
  for (std::size_t i = 1; i < heights.size(); ++i) {
    if (heights[i].cycles - top < floor) continue;
    Level level{top, heights[i].cycles, noise};
    if (!found.levels.empty()) level.asked_from = found.levels.back().threshold();
    found.levels.push_back(level);
    top = heights[i].cycles;
  }
  // The mode of a plateau's visits is at most a third of a deviation off.
  if (mixture && *mixture - top >= std::max(floor, deviation.value_or(noise))) found.unclear = mixture;
  found.beyond = beyond(matrix, top, std::max(floor, deviation.value_or(noise)));
  return found;
}

Level without_walk(std::span<const Level> levels, std::size_t window, double clock_step) {
  Level alone = levels[window];
  for (std::size_t before = 0; before + 1 < window; ++before) {
    const double walk = levels[window - 1].miss - levels[before].miss;
    const auto is_with_walk = [&](const Level& behind) {
      return std::abs(behind.miss - alone.miss - walk) <= 2 * tolerance(walk, clock_step);  // of two distances
    };
    if (std::ranges::any_of(levels.subspan(window + 1), is_with_walk)) alone.hit = levels[before].miss;
  }
  return alone;
}

double hidden_before(std::span<const Cell> matrix, const Level& first) {
  const double false_share = first.sharp() ? 0 : share_beyond(first);
  const auto misses = [&](const Cell* cell) {
    // Delays, and few misses, which move a median by 0.05 deviations.
    constexpr double few = 0.02;
    const auto visits = static_cast<double>(cell->extra_latency.size());
    const auto above = std::ranges::count_if(cell->extra_latency, [&](double one) { return one > first.threshold(); });
    return static_cast<double>(above) > (false_share + few) * visits;
  };
  std::vector<double> longer;
  for (const auto& [stride, row] : by_stride(matrix)) {
    const auto missing = std::ranges::find_if(row, misses);
    if (missing == row.end() || missing - row.begin() < 2) continue;
    longer.push_back(analysis::median(missing[-1]->extra_latency) - analysis::median(row.front()->extra_latency));
  }
  // At some strides, as many pages may still fit the hidden level.
  constexpr double upper = 0.75;
  return longer.empty() ? 0 : analysis::quantile(longer, upper);
}

Bracket bracket(std::span<const Cell> matrix, const Level& level, std::int64_t stride) {
  Bracket result;
  const auto rows = by_stride(matrix);
  const auto row = rows.find(stride);
  if (row == rows.end()) return result;
  for (auto cell = row->second.rbegin(); cell != row->second.rend(); ++cell) {
    const auto& latencies = (*cell)->extra_latency;
    const auto over = std::ranges::count_if(latencies, [&](double one) { return one > level.threshold(); });
    if (static_cast<double>(over) <= most_false_misses(level, static_cast<double>(latencies.size()))) {
      result.fits = (*cell)->pages;
      return result;
    }
    result.overflows = (*cell)->pages;
  }
  return result;
}

}  // namespace tomograph::tlb
