#include "analysis_refresh.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <numbers>

#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::data_cache {

namespace {

/// Late loads in the first part of the time. Some thousand frequencies are told apart by fewer.
constexpr std::size_t first_events = 200;
/// How much longer each part of the time is than the one before.
constexpr double growth = 4;
/// Frequencies per width of a peak, so that none falls between two.
constexpr double steps_per_peak = 4;
/// Frequencies that are looked at in the next part of the time.
constexpr std::size_t most_kept = 4;
/// Periods of which at least so many fit into the time.
constexpr double least_periods = 20;

/// Late loads spread evenly over half of a period have 0.64, over an eighth, as on an H200, 0.97. A choice.
constexpr double least_concentration = 0.6;
/// One GPU in a million without refreshes shows one.
constexpr double most_chance = 1e-6;
/// Refreshes of an eighth of a period have 0.94 of the concentration at half of the period, so 0.87 of the power, and
/// less with noise: a lower bound would take multiples of the period that disturbances favour. A choice.
constexpr double nearly_best = 0.85;
/// The power of all loads, as a share of that of late ones if as many. Loads that come at regular times are late at
/// regular times. A choice: half the concentration.
constexpr double most_power_of_loads = 0.25;
/// The quantile of waits that stands for the longest one, which a disturbance may exceed.
constexpr double long_wait = 0.9;
/// Waits shorter than such a part of the longest do not count. Of an H200's late loads, in one run a third had waits of
/// a twentieth, at any time of the period. A choice: a tenth of the loads that meet a refresh wait no longer.
constexpr double least_wait = 0.1;
/// How far the two estimates of the duration may differ. A choice: on an H100 and an H200 they differ by a tenth.
constexpr double most_disagreement = 0.3;

/// Refreshes need not keep their phase: on one H100 it moved by a third of a period in 4 ms. A choice.
constexpr std::array<std::size_t, 4> parts_of_a_stretch{1, 2, 4, 8};
/// By so much must smaller parts concentrate the late loads more than larger ones do, which tell the period more
/// precisely. A choice.
constexpr double more_concentrated = 1.02;

/// Times of the late loads of one stretch.
using Events = std::vector<double>;

struct Peak {
  double frequency = 0;
  double power = 0;
};

/// A sum of unit vectors.
struct Vector {
  double x = 0;
  double y = 0;
};

Vector unit_vector(double turns) {
  const double angle = 2 * std::numbers::pi * (turns - std::floor(turns));
  return {std::cos(angle), std::sin(angle)};
}

std::size_t events_until(std::span<const Events> stretches, double until) {
  std::size_t count = 0;
  for (const Events& events : stretches) {
    count += static_cast<std::size_t>(std::ranges::upper_bound(events, until) - events.begin());
  }
  return count;
}

/// The strongest of the peaks, one of those that stand close together.
std::vector<Peak> strongest(std::vector<Peak> peaks, double width) {
  std::ranges::sort(peaks, std::ranges::greater{}, &Peak::power);
  std::vector<Peak> kept;
  for (const Peak& peak : peaks) {
    const auto is_close = [&](const Peak& other) { return std::abs(other.frequency - peak.frequency) < width; };
    if (std::ranges::none_of(kept, is_close)) kept.push_back(peak);
    if (kept.size() == most_kept) break;
  }
  return kept;
}

/// Adds to each sum the phase of an event at this time, at frequencies from `low` in steps. A step turns it by the same
/// angle, which takes a multiplication in place of a sine and a cosine.
void add_phases(double time, double low, double step, std::vector<Vector>& sums) {
  Vector phase = unit_vector(time * low);
  const Vector turn = unit_vector(time * step);
  for (Vector& sum : sums) {
    sum.x += phase.x;
    sum.y += phase.y;
    phase = {phase.x * turn.x - phase.y * turn.y, phase.x * turn.y + phase.y * turn.x};
  }
}

/// Powers of the frequencies from `low` to `high`, in steps that leave out no peak of a part of the time. The power of
/// a frequency is the sum over stretches of n R^2, where R is the mean of the n unit vectors of the phases. Of random
/// phases each stretch adds 1 on average.
std::vector<Peak> scan(std::span<const Events> stretches, double low, double high, double until) {
  const double step = 1 / (steps_per_peak * until);
  const auto steps = static_cast<std::size_t>(std::floor((high - low) / step + 1e-9));  // rounding drops none
  std::vector<Peak> peaks;
  for (std::size_t i = 0; i <= steps; ++i) peaks.push_back({low + static_cast<double>(i) * step, 0});
  for (const Events& events : stretches) {
    const auto end = std::ranges::upper_bound(events, until);
    if (end == events.begin()) continue;
    std::vector<Vector> sums(peaks.size());
    for (auto event = events.begin(); event != end; ++event) add_phases(*event, low, step, sums);
    const auto count = static_cast<double>(end - events.begin());
    for (std::size_t i = 0; i < peaks.size(); ++i) {
      peaks[i].power += (sums[i].x * sums[i].x + sums[i].y * sums[i].y) / count;
    }
  }
  return peaks;
}

/// Peaks of the frequencies from `low` to `high`, looked for in ever longer parts of the time. `tried` counts the
/// frequencies of the first part.
std::vector<Peak> peaks_of(std::span<const Events> stretches, double low, double high, double all, double& tried) {
  double until = all;
  while (until / growth > least_periods / high && events_until(stretches, until / growth) >= first_events) {
    until /= growth;
  }
  std::vector<Peak> peaks = scan(stretches, low, high, until);
  tried = static_cast<double>(peaks.size());
  peaks = strongest(std::move(peaks), 1 / until);
  while (until < all) {
    const double reach = 1 / until;
    until = std::min(until * growth, all);
    std::vector<Peak> finer;
    for (const Peak& peak : peaks) {
      const auto around = scan(stretches, peak.frequency - reach, peak.frequency + reach, until);
      finer.insert(finer.end(), around.begin(), around.end());
    }
    peaks = strongest(std::move(finer), 1 / until);
  }
  return peaks;
}

/// Times of all loads, late or not.
std::vector<Events> loads_of(std::span<const BankLoads> stretches) {
  std::vector<Events> loads;
  for (const BankLoads& stretch : stretches) loads.push_back(stretch.start);
  return loads;
}

std::vector<double> late_waits(std::span<const BankLoads> stretches) {
  std::vector<double> waits;
  for (const BankLoads& stretch : stretches) {
    std::ranges::copy_if(stretch.wait, std::back_inserter(waits), [](double wait) { return wait > 0; });
  }
  return waits;
}

/// Loads come at random times, so that waits are spread evenly up to the longest.
double longest_of_waits(std::span<const double> waits) { return analysis::quantile(waits, long_wait) / long_wait; }

std::vector<Events> events_of(std::span<const BankLoads> stretches) {
  std::vector<Events> events;
  for (const BankLoads& stretch : stretches) {
    Events& own = events.emplace_back();
    for (std::size_t i = 0; i < stretch.start.size(); ++i) {
      if (stretch.wait[i] > 0) own.push_back(stretch.start[i]);
    }
  }
  return events;
}

/// Of the peaks that are nearly as strong as the strongest, that of the longest period.
Peak longest_of(std::span<const Peak> peaks) {
  Peak chosen = peaks.front();
  for (const Peak& peak : peaks) {
    if (peak.power >= nearly_best * peaks.front().power && peak.frequency < chosen.frequency) chosen = peak;
  }
  return chosen;
}

/// Probability that the strongest of `tried` frequencies has such a power if phases are random. Then the sum over
/// s stretches is gamma distributed, and its tail beyond p is below (e p / s)^s e^-p.
double chance_of(double power, double stretches, double tried) {
  return std::min(tried * std::exp(stretches * (1 + std::log(std::max(power / stretches, 1.0))) - power), 1.0);
}

/// The waits that end with a refresh, or up to `reach` cycles before or after: others have another cause. In each
/// stretch a refresh ends where the mean of the ends lies.
std::vector<double> waits_for_refresh(std::span<const BankLoads> stretches, double frequency, double reach) {
  std::vector<double> waits;
  for (const BankLoads& stretch : stretches) {
    std::vector<double> late;
    std::vector<Vector> ends;
    Vector sum;
    for (std::size_t i = 0; i < stretch.start.size(); ++i) {
      if (!(stretch.wait[i] > 0)) continue;
      late.push_back(stretch.wait[i]);
      ends.push_back(unit_vector((stretch.start[i] + stretch.wait[i]) * frequency));
      sum.x += ends.back().x;
      sum.y += ends.back().y;
    }
    for (std::size_t i = 0; i < late.size(); ++i) {
      const double angle = std::atan2(ends[i].y * sum.x - ends[i].x * sum.y, ends[i].x * sum.x + ends[i].y * sum.y);
      const double off = std::abs(angle) / (2 * std::numbers::pi * frequency);
      if (off <= reach) waits.push_back(late[i]);
    }
  }
  return waits;
}

/// Two estimates of the duration must agree: the longest wait, and the share of late loads, but for those that waited
/// less than `cut`.
void set_duration(Refresh& refresh, double longest_wait, double share, double cut) {
  const double by_share = share * refresh.period + cut;
  const double mean = (longest_wait + by_share) / 2;
  if (std::abs(longest_wait - by_share) > most_disagreement * mean) return;
  refresh.duration = mean;
  refresh.duration_interval = {std::min(longest_wait, by_share) - cut / 2, std::max(longest_wait, by_share) + cut / 2};
}

/// The same loads, of which those that waited less than `cut` are not late.
std::vector<BankLoads> late_by(double cut, std::span<const BankLoads> stretches) {
  std::vector<BankLoads> all(stretches.begin(), stretches.end());
  for (BankLoads& stretch : all) {
    for (double& wait : stretch.wait) wait = wait < cut ? 0 : wait;
  }
  return all;
}

/// Each stretch in so many pieces of the same time.
std::vector<BankLoads> divided(std::span<const BankLoads> stretches, std::size_t pieces) {
  std::vector<BankLoads> all;
  for (const BankLoads& stretch : stretches) {
    if (stretch.start.empty() || stretch.start.back() <= 0) continue;
    const double time = stretch.start.back() / static_cast<double>(pieces);
    const std::size_t first = all.size();
    all.resize(first + pieces);
    for (std::size_t i = 0; i < stretch.start.size(); ++i) {
      const auto piece = std::min(static_cast<std::size_t>(stretch.start[i] / time), pieces - 1);
      all[first + piece].start.push_back(stretch.start[i] - static_cast<double>(piece) * time);
      all[first + piece].wait.push_back(stretch.wait[i]);
    }
  }
  return all;
}

/// The refreshes, if they keep their phase for as long as each of the stretches.
std::optional<Refresh> find_steady_refresh(std::span<const BankLoads> stretches, double cut) {
  const std::vector<double> waits = late_waits(stretches);
  if (waits.size() < first_events) return std::nullopt;
  double all = 0;  // cycles of the longest stretch
  double loads = 0;
  for (const BankLoads& stretch : stretches) {
    if (!stretch.start.empty()) all = std::max(all, stretch.start.back());
    loads += static_cast<double>(stretch.start.size());
  }
  const double longest_wait = longest_of_waits(waits);
  double tried = 0;
  const auto peaks = peaks_of(events_of(stretches), least_periods / all, 1 / (2 * longest_wait), all, tried);
  if (peaks.empty()) return std::nullopt;
  const auto [frequency, power] = longest_of(peaks);
  const auto late = static_cast<double>(waits.size());
  const double of_loads = scan(loads_of(stretches), frequency, frequency, all).front().power;
  if (of_loads > most_power_of_loads * loads / late * power) return std::nullopt;
  Refresh refresh{.period = 1 / frequency, .late = waits.size()};
  // Random phases add 1 to the power of each stretch.
  const auto count = static_cast<double>(stretches.size());
  refresh.concentration = std::sqrt(std::max(power - count, 0.0) / std::max(late - count, 1.0));
  refresh.chance = chance_of(power, count, tried);
  if (refresh.concentration < least_concentration || refresh.chance > most_chance) return std::nullopt;
  const double off = 1 / (2 * all * frequency * frequency);
  refresh.period_interval = {refresh.period - off, refresh.period + off};
  const auto own = waits_for_refresh(stretches, frequency, longest_wait);
  if (own.empty()) return refresh;
  // Others are late at random times, so some of them also in this part of the period. A larger part than half tells
  // nothing about the rest.
  const double part = std::min(2 * longest_wait * frequency, 0.5);
  const auto with_others = static_cast<double>(own.size());
  const double others = (late - with_others) * part / (1 - part);
  set_duration(refresh, longest_of_waits(own), std::max(with_others - others, 0.0) / loads, cut);
  return refresh;
}

}  // namespace

std::optional<Refresh> find_refresh(std::span<const BankLoads> seen, double cut) {
  const std::vector<double> waits = late_waits(seen);
  if (waits.size() < first_events) return std::nullopt;
  cut = std::max(cut, least_wait * longest_of_waits(waits));
  const std::vector<BankLoads> stretches = late_by(cut, seen);
  std::optional<Refresh> best;
  for (const std::size_t pieces : parts_of_a_stretch) {
    const auto refresh = find_steady_refresh(divided(stretches, pieces), cut);
    if (!refresh || (refresh->duration == 0 && best)) continue;
    const bool tells_more = !best || best->duration == 0;
    if (tells_more || refresh->concentration > more_concentrated * best->concentration) best = refresh;
  }
  return best;
}

}  // namespace tomograph::data_cache
