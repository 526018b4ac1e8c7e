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
/// How far the estimates of the duration may differ. A choice: on an H100 and an H200 they differ by a tenth.
constexpr double most_disagreement = 0.3;
/// The edge of a refresh may lie wherever so many deviations (Poisson) more loads than at best are on its wrong
/// side: 2.3 % of chance on each side. Where the edge is sharp, hardly any load is, and so few more decide nothing. A
/// choice.
constexpr double more_on_the_wrong_side = 2;
constexpr double least_more = 4;

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

/// Events whose phases are turned at the same time: one would wait for each turn before the next one.
constexpr std::size_t events_at_once = 8;

/// Adds to each sum the phases of up to `events_at_once` events, one after the other, at frequencies from `low` in
/// steps. A step turns each by the same angle, which takes a multiplication in place of a sine and a cosine.
void add_phases(std::span<const double> times, double low, double step, std::vector<Vector>& sums) {
  std::array<Vector, events_at_once> phases{};  // those that are missing add nothing
  std::array<Vector, events_at_once> turns{};
  for (std::size_t i = 0; i < times.size(); ++i) {
    phases[i] = unit_vector(times[i] * low);
    turns[i] = unit_vector(times[i] * step);
  }
  for (Vector& sum : sums) {
    for (std::size_t i = 0; i < events_at_once; ++i) {
      const Vector phase = phases[i];
      const Vector turn = turns[i];
      sum.x += phase.x;
      sum.y += phase.y;
      phases[i] = {phase.x * turn.x - phase.y * turn.y, phase.x * turn.y + phase.y * turn.x};
    }
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
    for (std::span left(events.begin(), end); !left.empty();
         left = left.subspan(std::min(left.size(), events_at_once))) {
      add_phases(left.first(std::min(left.size(), events_at_once)), low, step, sums);
    }
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

/// What `of` makes of start and wait of each late load.
std::vector<Events> events_of(std::span<const BankLoads> stretches, double (*of)(double start, double wait)) {
  std::vector<Events> events;
  for (const BankLoads& stretch : stretches) {
    Events& own = events.emplace_back();
    for (std::size_t i = 0; i < stretch.start.size(); ++i) {
      if (stretch.wait[i] > 0) own.push_back(of(stretch.start[i], stretch.wait[i]));
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

/// The frequency near this one, known to a step of the periodogram, at which waits end the most alike. They end at one
/// phase, though loads come at any phase of a refresh.
double refined(std::span<const BankLoads> stretches, double frequency, double all) {
  constexpr double finer = 64;  // leaves a smear of a thousandth of the period over the whole time
  std::vector<Events> ends = events_of(stretches, [](double start, double wait) { return start + wait; });
  const double reach = 1 / (steps_per_peak * all);
  const auto peaks = scan(ends, frequency - reach, frequency + reach, finer * all);
  return std::ranges::max_element(peaks, {}, &Peak::power)->frequency;
}

/// Probability that the strongest of `tried` frequencies has such a power if phases are random. Then the sum over
/// s stretches is gamma distributed, and its tail beyond p is below (e p / s)^s e^-p.
double chance_of(double power, double stretches, double tried) {
  return std::min(tried * std::exp(stretches * (1 + std::log(std::max(power / stretches, 1.0))) - power), 1.0);
}

/// The turns from one phase to another, from -1/2 to 1/2.
double turns_between(double from, double to) { return std::remainder(to - from, 1.0); }

double end_of(const BankLoads& stretch, std::size_t load) { return stretch.start[load] + stretch.wait[load]; }

/// The phase at which refreshes end in a stretch, in turns: the median of the ends of waits, but for those that lie
/// further than `reach` cycles from the mean, which have another cause. Nothing if no load was late.
std::optional<double> end_of_refreshes(const BankLoads& stretch, double frequency, double reach) {
  Vector sum;
  for (std::size_t i = 0; i < stretch.start.size(); ++i) {
    if (!(stretch.wait[i] > 0)) continue;
    const Vector end = unit_vector(end_of(stretch, i) * frequency);
    sum = {sum.x + end.x, sum.y + end.y};
  }
  const double mean = std::atan2(sum.y, sum.x) / (2 * std::numbers::pi);
  std::vector<double> off;
  for (std::size_t i = 0; i < stretch.start.size(); ++i) {
    if (!(stretch.wait[i] > 0)) continue;
    const double turns = turns_between(mean, end_of(stretch, i) * frequency);
    if (std::abs(turns) <= reach * frequency) off.push_back(turns);
  }
  if (off.empty()) return std::nullopt;
  return mean + analysis::median(off);
}

/// Loads of all stretches, as the refreshes in their stretch see them.
struct RefreshLoads {
  /// A load, and the time from its start until a refresh ends.
  struct Meeting {
    double until_end = 0;
    bool late = false;
  };
  std::vector<Meeting> all;   ///< in the order of these times
  std::vector<double> waits;  ///< those that end with a refresh, or up to `reach` cycles before or after
};

RefreshLoads refresh_loads(std::span<const BankLoads> stretches, double frequency, double reach) {
  RefreshLoads loads;
  for (const BankLoads& stretch : stretches) {
    const auto end = end_of_refreshes(stretch, frequency, reach);
    if (!end) continue;
    for (std::size_t i = 0; i < stretch.start.size(); ++i) {
      const double turns = *end - stretch.start[i] * frequency;
      const bool late = stretch.wait[i] > 0;
      loads.all.push_back({(turns - std::floor(turns)) / frequency, late});
      if (late && std::abs(turns_between(*end, end_of(stretch, i) * frequency)) <= reach * frequency) {
        loads.waits.push_back(stretch.wait[i]);
      }
    }
  }
  std::ranges::sort(loads.all, {}, &RefreshLoads::Meeting::until_end);
  return loads;
}

/// The time before the end of a refresh from which on loads are late divides them from others with few on the wrong
/// side: the middle of where hardly more are than at best. Loads that would wait less than `cut` do not count, since
/// they are not late.
std::optional<analysis::Interval> edge_of(const std::vector<RefreshLoads::Meeting>& ascending, double cut) {
  using Meeting = RefreshLoads::Meeting;
  std::vector<Meeting> counted;
  std::ranges::copy_if(ascending, std::back_inserter(counted),
                       [cut](const Meeting& one) { return one.until_end > cut; });
  std::vector<std::ptrdiff_t> wrong{std::ranges::count_if(counted, &Meeting::late)};  // before each load, and after all
  for (const Meeting& one : counted) wrong.push_back(wrong.back() + (one.late ? -1 : 1));
  const auto best = std::ranges::min_element(wrong);
  if (best == wrong.begin() || best == std::prev(wrong.end())) return std::nullopt;
  const auto fewest = static_cast<double>(*best);
  const double most = fewest + std::max(more_on_the_wrong_side * std::sqrt(fewest), least_more);
  const auto is_as_good = [most](std::ptrdiff_t one) { return static_cast<double>(one) <= most; };
  const auto time = [&](auto place) {
    const std::ptrdiff_t load = std::clamp<std::ptrdiff_t>(place - wrong.begin(), 1, std::ssize(counted) - 1);
    return (counted[static_cast<std::size_t>(load - 1)].until_end + counted[static_cast<std::size_t>(load)].until_end) /
           2;
  };
  const auto first = std::ranges::find_if(wrong, is_as_good);
  const auto last = std::prev(std::ranges::find_if(wrong.rbegin(), wrong.rend(), is_as_good).base());
  return analysis::Interval{time(first), time(last)};
}

/// Two estimates of the duration must agree: the edge, which is more precise, and the longest wait.
void set_duration(Refresh& refresh, const analysis::Interval& edge, double longest_wait) {
  const double middle = (edge.low + edge.high) / 2;
  if (std::abs(longest_wait - middle) > most_disagreement * middle) return;
  refresh.duration = middle;
  refresh.duration_interval = edge;
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

/// The refreshes, if they keep their phase for as long as each of the stretches, and concentrate the late loads more
/// than `concentration`.
std::optional<Refresh> find_steady_refresh(std::span<const BankLoads> stretches, double cut, double concentration) {
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
  const auto starts = events_of(stretches, [](double start, double /*wait*/) { return start; });
  const auto peaks = peaks_of(starts, least_periods / all, 1 / (2 * longest_wait), all, tried);
  if (peaks.empty()) return std::nullopt;
  const auto [frequency, power] = longest_of(peaks);
  const auto late = static_cast<double>(waits.size());
  Refresh refresh{.period = 1 / frequency, .late = waits.size()};
  // Random phases add 1 to the power of each stretch.
  const auto count = static_cast<double>(stretches.size());
  refresh.concentration = std::sqrt(std::max(power - count, 0.0) / std::max(late - count, 1.0));
  refresh.chance = chance_of(power, count, tried);
  if (refresh.concentration <= concentration) return std::nullopt;
  if (refresh.concentration < least_concentration || refresh.chance > most_chance) return std::nullopt;
  const double of_loads = scan(loads_of(stretches), frequency, frequency, all).front().power;
  if (of_loads > most_power_of_loads * loads / late * power) return std::nullopt;
  const double off = 1 / (2 * all * frequency * frequency);
  refresh.period_interval = {refresh.period - off, refresh.period + off};
  const RefreshLoads seen = refresh_loads(stretches, refined(stretches, frequency, all), longest_wait);
  const auto edge = edge_of(seen.all, cut);
  if (edge && !seen.waits.empty()) set_duration(refresh, *edge, longest_of_waits(seen.waits));
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
    const double least = best && best->duration > 0 ? more_concentrated * best->concentration : 0;
    const auto refresh = find_steady_refresh(divided(stretches, pieces), cut, least);
    if (refresh && (!best || refresh->duration > 0)) best = refresh;
  }
  return best;
}

}  // namespace tomograph::data_cache
