#include "levels.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include "tomograph/analysis/latency_modes.hpp"
#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::tlb {

namespace {

constexpr analysis::ModeResolution resolution{.absolute = 1.5, .relative = 0.02, .min_weight = 0.05};
constexpr std::size_t plateau_walks = 3;

constexpr std::int64_t most_passes = 144;

/// A median of n normal deviates varies by 1.2533 noise / sqrt(n); 4.75 times that is exceeded once in a million.
double needed_passes(const Level& level) {
  return std::pow(12.5 * level.noise / std::max(level.miss - level.hit, 1.0), 2);
}

/// Modes less than this apart are one, at level x of extra latency.
double tolerance(double cycles) { return 1.25 + 0.03 * std::abs(cycles); }

struct Plateau {
  double cycles = 0;
  std::size_t walks = 0;
  bool wide = true;  ///< from the first walk to the last the pages became four times as many
};

std::map<std::int64_t, std::vector<const Cell*>> by_stride(std::span<const Cell> matrix) {
  std::map<std::int64_t, std::vector<const Cell*>> rows;
  for (const Cell& cell : matrix) rows[cell.stride].push_back(&cell);
  for (auto& [stride, cells] : rows) std::ranges::sort(cells, {}, &Cell::pages);
  return rows;
}

/// Modes that stay where they are in successive walks of one stride.
void add_plateaus(const std::vector<const Cell*>& row, std::vector<Plateau>& found) {
  struct Run {
    std::vector<double> seen;
    std::int64_t first = 0;
    std::int64_t last = 0;
    bool grown = true;
  };
  std::vector<Run> open;
  const auto close = [&](const Run& run) {
    if (run.seen.size() < plateau_walks) return;
    found.push_back({analysis::median(run.seen), run.seen.size(), run.last >= 4 * run.first});
  };
  for (const Cell* cell : row) {
    for (Run& run : open) run.grown = false;
    for (const analysis::Mode& mode : analysis::modes(cell->extra_latency, resolution)) {
      const auto run = std::ranges::find_if(open, [&](const Run& one) {
        return !one.grown && std::abs(one.seen.front() - mode.location) <= tolerance(mode.location) &&
               std::abs(one.seen.back() - mode.location) <= tolerance(mode.location);
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

/// What lies between two plateaus by no more than noise may be a mixture of both that changes slowly.
void drop_mixtures(std::vector<Plateau>& plateaus, double noise) {
  constexpr double clear = 8;
  std::vector<double> wide;
  for (const Plateau& one : plateaus) {
    if (one.wide) wide.push_back(one.cycles);
  }
  std::erase_if(plateaus, [&](const Plateau& one) {
    return !one.wide &&
           std::ranges::any_of(wide, [&](double other) { return std::abs(other - one.cycles) < clear * noise; });
  });
}

/// Plateaus of all strides that are as high, as one, in ascending order.
std::vector<Plateau> merged(std::vector<Plateau> plateaus, double floor) {
  std::ranges::sort(plateaus, {}, &Plateau::cycles);
  std::vector<std::vector<Plateau>> groups;
  for (const Plateau& one : plateaus) {
    if (groups.empty() || one.cycles - groups.back().back().cycles > std::max(floor / 2, tolerance(one.cycles))) {
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

/// Mean of what was seen in walks that are all on one plateau, whose median comes in whole cycles only.
double refined(std::span<const Cell> matrix, double plateau, double noise) {
  std::vector<double> seen;
  for (const Cell& cell : matrix) {
    if (cell.extra_latency.size() < 16 || std::abs(analysis::median(cell.extra_latency) - plateau) > tolerance(plateau))
      continue;
    const double spread = analysis::quantile(cell.extra_latency, 0.9) - analysis::quantile(cell.extra_latency, 0.1);
    if (spread > 4 * noise + 0.05 * plateau) continue;
    // A few visits may have missed the next level, too.
    const double near = 5 * noise + tolerance(plateau);
    std::ranges::copy_if(cell.extra_latency, std::back_inserter(seen),
                         [&](double cycles) { return std::abs(cycles - plateau) <= near; });
  }
  constexpr double trimmed = 0.05;
  return seen.empty() ? plateau : analysis::trimmed_mean(seen, trimmed);
}

/// Large walks are one look at each page, so a few stray ones do not count: no more of so many visits that hit are on
/// the wrong side of the threshold.
double most_strays(const Level& level, double visits) {
  if (level.sharp()) return 0.02 * visits;
  const double share = std::erfc((level.miss - level.hit) / 2 / level.noise / std::sqrt(2.0)) / 2;
  return std::max(0.3 * visits, share * visits + 3 * std::sqrt(share * (1 - share) * visits));
}

}  // namespace

std::int64_t Level::passes() const {
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(std::ceil(needed_passes(*this))), 1, most_passes) | 1;
}

bool Level::resolvable() const { return needed_passes(*this) <= static_cast<double>(most_passes); }

std::vector<Level> find_levels(std::span<const Cell> matrix, double noise, double floor) {
  std::vector<Plateau> plateaus;
  for (const auto& [stride, row] : by_stride(matrix)) add_plateaus(row, plateaus);
  drop_mixtures(plateaus, noise);
  auto heights = merged(std::move(plateaus), floor);
  for (Plateau& one : heights) one.cycles = refined(matrix, one.cycles, noise);
  std::vector<Level> levels;
  for (std::size_t i = 1; i < heights.size(); ++i) {
    const double below = levels.empty() ? heights.front().cycles : levels.back().miss;
    if (heights[i].cycles - below >= floor) levels.push_back({below, heights[i].cycles, noise});
  }
  return levels;
}

double hidden_before(std::span<const Cell> matrix, const Level& first) {
  std::vector<double> longer;
  for (const auto& [stride, row] : by_stride(matrix)) {
    const auto overflows = std::ranges::find_if(
        row, [&](const Cell* cell) { return analysis::median(cell->extra_latency) > first.threshold(); });
    if (overflows == row.end() || overflows - row.begin() < 2) continue;
    const std::int64_t most = overflows[-1]->pages / 2;
    const auto beyond = std::ranges::find_if(row, [&](const Cell* cell) { return cell->pages > most; });
    if (beyond - row.begin() < 2) continue;
    longer.push_back(analysis::median(beyond[-1]->extra_latency) - analysis::median(row.front()->extra_latency));
  }
  // At one stride or another half as many pages may fit a hidden level.
  constexpr double upper = 0.75;
  return longer.empty() ? 0 : analysis::quantile(longer, upper);
}

Bracket bracket(std::span<const Cell> matrix, const Level& level, std::int64_t stride) {
  Bracket result;
  const auto rows = by_stride(matrix);
  const auto row = rows.find(stride);
  if (row == rows.end()) return result;
  for (auto cell = row->second.rbegin(); cell != row->second.rend(); ++cell) {
    const auto& extra_latency = (*cell)->extra_latency;
    const auto over = std::ranges::count_if(extra_latency, [&](double one) { return one > level.threshold(); });
    if (static_cast<double>(over) <= most_strays(level, static_cast<double>(extra_latency.size()))) {
      result.fits = (*cell)->pages;
      return result;
    }
    result.overflows = (*cell)->pages;
  }
  return result;
}

}  // namespace tomograph::tlb
