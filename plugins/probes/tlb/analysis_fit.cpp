#include "analysis_fit.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "analysis_misses.hpp"

namespace tomograph::tlb {

namespace {

/// Pages that missed: of a sharp level in every pass, else by the median of the passes.
std::vector<bool> always_missing(const ExtraLatency& seen, const Level& level) {
  if (!level.sharp()) return missing(seen, level);
  std::vector<bool> missed(seen.visits, true);
  for (std::size_t visit = 0; visit < seen.cycles.size(); ++visit) {
    if (seen.cycles[visit] <= level.threshold()) missed[visit % seen.visits] = false;
  }
  return missed;
}

/// Most visits of a level that is not sharp that may exceed the threshold although none missed.
double most_by_noise(const Level& level, double visits) {
  // The bound of the noise may lie far above it: then many visits that miss nothing exceed the threshold less often.
  constexpr double many = 512;
  constexpr double more = 1.5;  // lines of more pages scatter more; chosen by hand on simulated GPUs
  const double control = most_like_control(level, visits);
  const double chance = most_chance_misses(false_miss_share(level), visits);
  return std::max(control, level.control_visits >= many ? std::min(chance, more * control) : chance);
}

}  // namespace

void Misses::add(const ExtraLatency& seen) {
  const auto now = always_missing(seen, level_);
  std::transform(missed_.begin(), missed_.end(), now.begin(), missed_.begin(), std::logical_and<>());
  for (std::size_t visit = 0; visit < seen.cycles.size(); ++visit) {
    if (seen.cycles[visit] > level_.threshold()) ++above_each_[visit % seen.visits];
  }
  visits_ += seen.cycles.size();
}

bool Misses::none_missed() const { return std::ranges::count(missed_, true) == 0; }

std::int64_t Misses::above() const { return std::accumulate(above_each_.begin(), above_each_.end(), std::int64_t{0}); }

double Misses::share_above() const { return static_cast<double>(above()) / static_cast<double>(visits_); }

double Misses::error_of_share() const {
  return std::sqrt(share_above() * (1 - share_above()) / static_cast<double>(visits_));
}

bool Misses::fit(double of_lines) const {
  auto most = static_cast<double>(passes());
  if (!level_.sharp()) most = std::max(most, most_by_noise(level_, static_cast<double>(visits_)));
  return none_missed() && (1 - of_lines) * static_cast<double>(above()) <= most;
}

bool Misses::most_missed() const { return passes() > 1 && 2 * std::ranges::count(missed_, true) > std::ssize(missed_); }

bool Misses::are_constant() const {
  // Of pages that random victims make miss, more do so now and then.
  constexpr std::int64_t few = 10;
  const auto always = std::ranges::count(above_each_, passes());
  const auto never = std::ranges::count(above_each_, std::int64_t{0});
  return passes() > 1 && few * (std::ssize(above_each_) - always - never) < always;
}

std::optional<bool> exceed_alike(const Misses& all, const Misses& half) {
  // Both no misses and two of a page too many lie so many standard errors from the bound: 3e-5.
  constexpr double enough_errors = 4;
  const auto pages = static_cast<double>(all.pages());
  const double bound = 1 - 2 * half.share_above();  // of a miss in each pass
  const double error = pages * std::hypot(half.error_of_share(), all.error_of_share());
  if (bound < enough_errors * error) return std::nullopt;
  return pages * (all.share_above() - half.share_above()) <= bound;
}

}  // namespace tomograph::tlb
