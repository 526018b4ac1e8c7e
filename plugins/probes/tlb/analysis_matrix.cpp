#include "analysis_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tomograph::tlb {

namespace {

std::string cycles(double number) { return std::to_string(std::lround(number)) + " cycles"; }

/// The share of the control's visits that may be delayed by other causes. Chosen by hand.
constexpr double delayed = 0.05;

}  // namespace

double clock_step(std::span<const double> cycles) {
  std::int64_t step = 0;
  for (const double one : cycles) step = std::gcd(step, std::llround(one));
  return static_cast<double>(std::max<std::int64_t>(step, 1));
}

double inner_deviation(std::vector<double> cycles, double clock_step) {
  constexpr double inner_share =
      0.789;  // sqrt(0.623): of the variance, what normal values have within 1.645 deviations
  constexpr double steps_of_two_roundings = 0.408;  // sqrt(2 / 12)
  std::ranges::sort(cycles);
  const auto outer = static_cast<std::ptrdiff_t>(delayed * static_cast<double>(cycles.size()));
  const std::span<const double> inner(cycles.begin() + outer, cycles.end() - outer);
  const double mean = std::accumulate(inner.begin(), inner.end(), 0.0) / static_cast<double>(inner.size());
  double squares = 0;
  for (const double one : inner) squares += (one - mean) * (one - mean);
  return std::max(std::sqrt(squares / static_cast<double>(inner.size())) / inner_share,
                  steps_of_two_roundings * clock_step);
}

Level with_control(Level level, std::span<const double> control) {
  level.control_visits = static_cast<double>(control.size());
  level.control_above =
      static_cast<double>(std::ranges::count_if(control, [&](double extra) { return extra > level.threshold(); }));
  return level;
}

bool hits_throughout(std::span<const double> extra_latency, double hit, double noise) {
  constexpr double delay = 4;  // by other causes; chosen by hand
  // Normal noise exceeds 6 standard deviations with probability 1e-9.
  const double limit = hit + 6 * noise + delay;
  const auto over = std::ranges::count_if(extra_latency, [&](double extra) { return extra > limit; });
  return static_cast<double>(over) <= delayed * static_cast<double>(extra_latency.size());
}

bool control_is_clean(const Matrix& matrix, const Level& first) {
  return hits_throughout(matrix.control, first.hit, matrix.noise);
}

std::int64_t pages_that_evict(const Matrix& matrix, const Level& level, std::optional<std::int64_t> entries,
                              std::int64_t before) {
  // Beyond twice the entries, for levels of very few. Chosen by hand.
  constexpr std::int64_t margin = 8;
  if (entries) return std::max(before, 2 * *entries + margin);
  std::int64_t pages = before;
  std::int64_t largest = 0;
  for (const Cell& cell : matrix.cells) {
    const auto overflows = bracket(matrix.cells, level, cell.stride).overflows;
    if (!overflows || cell.stride < largest) continue;
    largest = cell.stride;
    pages = std::max(before, 2 * *overflows);
  }
  return pages;
}

std::int64_t pages_held_behind(std::span<const Cell> matrix, const Level* next, std::int64_t span) {
  std::int64_t most = 0;
  for (const Cell& cell : matrix) {
    if (cell.stride == span) most = std::max(most, cell.pages);
  }
  return next == nullptr ? most : bracket(matrix, *next, span).fits;
}

bool holds_no_more(std::span<const Cell> matrix, const Level& before, std::int64_t span, std::int64_t entries) {
  const auto overflows = bracket(matrix, before, span).overflows;
  return !overflows || *overflows > entries;
}

std::string hidden_level(const Matrix& matrix, const std::vector<Level>& levels) {
  // Medians of whole cycles may be one off: halfway to two.
  constexpr double rounding = 1.5;
  // What lines differ by, but where visits vary less, one deviation of these; and, since the difference of two medians
  // of 192 visits has a standard deviation of 0.13 noise, 1.3 of these. Chosen by hand.
  constexpr double lines_differ = 3;
  constexpr double share_of_noise = 1.0 / 6;
  const double of_visits = std::clamp(matrix.deviation, rounding, lines_differ);
  const double floor = std::max(of_visits, share_of_noise * matrix.noise);
  const double longer = levels.empty() ? 0 : hidden_before(matrix.cells, levels.front());
  if (longer <= floor) return {};
  return "noise hides a level: visits take " + cycles(longer) + " longer before the first level that stands out";
}

std::string unclear_level(const Staircase& staircase) {
  if (staircase.beyond) {
    return "the largest walks take at least " + cycles(*staircase.beyond) +
           " longer than hits, but too few walks are as large to tell a level";
  }
  if (!staircase.unclear) return {};
  return "noise hides whether another level is there: visits of the largest walks take up to " +
         cycles(*staircase.unclear) + " longer than hits, which is too near to what misses of known levels take";
}

std::string keeping_level(const Matrix& matrix, const Level& last, const Cell& timed) {
  const double limit = clearly_above(last.miss, std::max(matrix.deviation, matrix.clock_step));
  const auto above = [&](const Cell& cell) {
    return static_cast<double>(std::ranges::count_if(cell.extra_latency, [&](double one) { return one > limit; }));
  };
  // Lines that L2 does not hold, and delays, are as frequent in both. By the rule of succession.
  double usual = 0;
  double visits = 0;
  for (const Cell& cell : matrix.cells) {
    if (2 * cell.pages < timed.pages) continue;
    const auto own = static_cast<double>(cell.extra_latency.size());
    const double share = (above(cell) + 1) / (own + 2);
    if (share > usual) visits = own;
    usual = std::max(usual, share);
  }
  if (visits == 0) return {};
  const auto all = static_cast<double>(timed.extra_latency.size());
  // Both shares are drawn: of 192 visits and of thousands. Three standard errors: false alarm 1.3e-3.
  const double most = usual * all + 3 * std::sqrt(usual * (1 - usual) * all * (1 + all / visits));
  if (above(timed) <= most) return {};
  return "of a walk over " + std::to_string(timed.pages) + " pages, " + std::to_string(std::llround(above(timed))) +
         " take more than " + cycles(limit) + ", which those that walks visit first do not: some level keeps these";
}

std::string unresolvable_level(const Level& level) {
  if (level.resolvable()) return {};
  return "no walk tells which of its visits missed: single visits vary by " + cycles(level.noise) +
         ", and a miss of a level takes only " + cycles(level.miss - level.hit) + " more";
}

}  // namespace tomograph::tlb
