#include "analysis_partition.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <numeric>
#include <utility>

#include "tomograph/analysis/clock_step.hpp"
#include "tomograph/analysis/latency_modes.hpp"
#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::data_cache {

namespace {

/// Lines that may differ between two SMs of one partition. If 1 % of loads are delayed, two such SMs differ in more
/// lines once in 6e7 comparisons; two SMs of which half the lines are far differ in no more once in 3e9.
constexpr std::size_t tolerated_lines = compared_lines / 8;

/// Less is not expected of what another partition adds to the latency: 60 % on an H200, the only GPU seen to have one.
constexpr double least_share = 0.15;

/// Lines that must be near one partition each, so that SMs near them are grouped. A choice: noise that makes lines near
/// an SM or not would have to choose the SM of each.
constexpr std::size_t fewest_lines = compared_lines / 8;

/// Far lines that two SMs of different partitions have at least: of 64 of which half are far, 12 or fewer are once in
/// 4e6 comparisons, or in 4,000 where two lines lie in each of 32 pages. Between this and what is tolerated, lines were
/// lost, and nothing tells which partition it is.
constexpr std::size_t fewest_far_lines = 12;

/// Added to differences of latencies, since modes are sought among positive numbers.
constexpr double positive = 10000;

/// First minus second load of the same line by the same SM: the distance between SM and line cancels out.
std::vector<double> extra_latencies(const FirstTouch& touch) {
  std::vector<double> differences(touch.first.size());
  std::ranges::transform(touch.first, touch.second, differences.begin(), std::minus<>{});
  return differences;
}

/// Standard deviation of one load, from two loads of each line by the SM that had loaded it.
double noise_of(const FirstTouch& own) {
  constexpr double deviation_of_a_normal = 1.4826;  // over its median absolute deviation
  return deviation_of_a_normal * analysis::median_absolute_deviation(extra_latencies(own)) / std::numbers::sqrt2;
}

/// Cycles by which latencies of one mode may differ: the usual ones, or less of short latencies, since another
/// partition may then lie as near. At least so many that values one step of the clock apart are of one cluster.
double jitter_of(const FirstTouch& own) {
  const analysis::ModeResolution usual;
  return std::max(std::min(usual.absolute, usual.relative * analysis::median(own.second)),
                  clock_of(own) / analysis::cluster_gap);
}

/// Nothing if all first loads are of one mode. If near lines may seem farther away, only the latest mode is far.
/// The first touch is that of the loader itself.
std::optional<Crossing> crossing_of(std::span<const FirstTouch> touches, FirstTouchGrouping::Translation translation) {
  // Neither noise nor steps of the clock make modes, nor loads that are delayed, fewer than 2 % on an H200.
  analysis::ModeResolution resolution{.absolute = jitter_of(touches.front()), .relative = 0, .min_weight = 0.02};
  const double deviation = noise_of(touches.front()) * std::numbers::sqrt2;
  resolution.absolute = std::max({resolution.absolute, deviation, clock_of(touches.front())});
  std::vector<double> all;
  for (const FirstTouch& one : touches) {
    for (const double difference : extra_latencies(one)) all.push_back(difference + positive);
  }
  const auto found = analysis::modes(all, resolution);
  if (found.size() < 2) return std::nullopt;
  const auto between = [](const analysis::Mode& one, const analysis::Mode& next) {
    return (one.high + next.low) / 2 - positive;
  };
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (translation == FirstTouchGrouping::Translation::unknown)
    return Crossing{between(found.front(), found.back()), infinity};
  return Crossing{between(found[0], found[1]), found.size() > 2 ? between(found[1], found[2]) : infinity};
}

std::size_t crossing_loads(const FirstTouch& touch, double limit) {
  const auto differences = extra_latencies(touch);
  return static_cast<std::size_t>(std::ranges::count_if(differences, [&](double one) { return one > limit; }));
}

/// Whether some pair of SMs is farther apart than single lines show: on average over all lines.
bool hides_crossing(const Partitions& found) {
  constexpr double trimmed = 0.1;  // at either end: a share of delayed loads that is never reached
  // Six standard errors: a false alarm in one of 5e8 pairs. Latencies are rounded to the clock's step.
  constexpr double significant = 6;
  const double clock = std::max(1.0, clock_of(found.matrix.front()));
  const double error =
      noise_of(found.matrix.front()) * std::numbers::sqrt2 / std::sqrt(static_cast<double>(compared_lines));
  return std::ranges::any_of(found.matrix, [&](const FirstTouch& one) {
    return std::abs(analysis::trimmed_mean(extra_latencies(one), trimmed)) > significant * error + clock;
  });
}

/// Whether single lines of several partitions may be near or far by noise alone.
bool blurs(const Partitions& found, const Crossing& crossing) {
  constexpr double significant = 3;  // errors of a difference of two loads: one in 1,000 lines is misread
  return significant * noise_of(found.matrix.front()) * std::numbers::sqrt2 > crossing.least;
}

/// Whether a line that an SM has just loaded is often farther away at its next load. Then the cache does not keep lines
/// (some policies let new ones leave first), and what is far says nothing about partitions.
bool loses_lines(const Partitions& found) {
  // Of a difference of two loads: a false alarm in one of 1e9. The clock may be a step off in both.
  constexpr double significant = 6;
  const FirstTouch& own = found.matrix.front();
  const double least = significant * noise_of(own) * std::numbers::sqrt2 + 2 * clock_of(own);
  // Fewer loads are delayed: none of 12,672 on an H200, one in 1,000 of the noisiest simulated GPUs.
  constexpr double most = 0.01;
  double slower = 0;
  double all = 0;
  for (const FirstTouch& touch : found.matrix) {
    const auto differences = extra_latencies(touch);
    slower += static_cast<double>(std::ranges::count_if(differences, [&](double one) { return one < -least; }));
    all += static_cast<double>(differences.size());
  }
  return slower > most * all;
}

/// Whether many lines are as far from the SM that has just loaded them as a crossing: some policies let one of several
/// new lines replace the other again and again.
bool holds_few(const Partitions& found, const Crossing& crossing) {
  // An H200 has none of so late second loads.
  constexpr double many = 0.05;
  double late = 0;
  double all = 0;
  for (const FirstTouch& touch : found.matrix) {
    const double limit = analysis::quantile(touch.second, 0.25) + crossing.least;
    late += static_cast<double>(std::ranges::count_if(touch.second, [&](double one) { return one > limit; }));
    all += static_cast<double>(touch.second.size());
  }
  return late > many * all;
}

/// Whether what is far has been lost, for example where a small cache holds its lines in few sets: if lines are far
/// from the SM that has loaded them, or too few from SMs of another partition. Of P partitions, 1 - 1/P of the lines
/// are.
bool is_far_by_loss(const Partitions& found, const Crossing& crossing) {
  // If 1 % of loads are delayed, more of 64 are once in 2,000 comparisons.
  constexpr std::size_t delayed = 4;
  constexpr double fewest_pages = 32;  // that the lines of a comparison lie in, each of them in one partition
  constexpr double errors = 3;         // of the share: once in 700
  double far = 0;
  double lines = 0;
  for (const FirstTouch& touch : found.matrix) {
    const std::size_t own = crossing_loads(touch, crossing.least);
    if (touch.loader == touch.reader && own > delayed) return true;
    if (own <= tolerated_lines) continue;
    far += static_cast<double>(own);
    lines += static_cast<double>(touch.first.size());
  }
  const double pages = fewest_pages * lines / static_cast<double>(compared_lines);
  return lines > 0 && far / lines < 0.5 - errors * std::sqrt(0.25 / pages);
}

/// Latencies by SM and line.
using Latencies = std::vector<std::vector<double>>;
/// Whether an SM is near a line, by SM and line.
using Near = std::vector<std::vector<bool>>;

/// Latencies without what all loads of an SM, or of a line, have in common: its distance, and that of its slice. Late
/// loads, which would make all others of their SM seem near, do not count.
Latencies without_common_distance(Latencies latencies) {
  constexpr double late = 0.1;  // a share at either end that is never reached
  for (auto& of_sm : latencies) {
    const double mean = analysis::trimmed_mean(of_sm, late);
    for (double& cycles : of_sm) cycles -= mean;
  }
  for (std::size_t line = 0; line < latencies.front().size(); ++line) {
    std::vector<double> of_line;
    for (const auto& of_sm : latencies) of_line.push_back(of_sm[line]);
    const double mean = analysis::trimmed_mean(of_line, late);
    for (auto& of_sm : latencies) of_sm[line] -= mean;
  }
  return latencies;
}

/// Which lines are near, if latencies are of several modes. `shift` makes them positive.
std::optional<Near> near_lines(const Latencies& latencies, const analysis::ModeResolution& resolution, double shift) {
  std::vector<double> all;
  for (const auto& of_sm : latencies) {
    std::ranges::transform(of_sm, std::back_inserter(all), [shift](double cycles) { return cycles + shift; });
  }
  const auto modes = analysis::modes(all, resolution);
  if (modes.size() < 2) return std::nullopt;
  const double limit = (modes[0].high + modes[1].low) / 2 - shift;
  Near near;
  for (const auto& of_sm : latencies) {
    std::vector<bool>& near_sm = near.emplace_back();
    for (const double cycles : of_sm) near_sm.push_back(cycles <= limit);
  }
  return near;
}

/// The same where slices lie at so many distances that near and far ones overlap. What is left without these does not
/// grow with the latency.
std::optional<Near> nearer_lines(const Latencies& latencies, double jitter) {
  return near_lines(without_common_distance(latencies), {.absolute = jitter, .relative = 0}, positive);
}

/// The distance up to which another partition's lines would make no mode of their own: within a cluster, and within
/// what nearly all loads differ by.
double hidden_distance(const Latencies& latencies, double jitter) {
  constexpr double late = 0.05;  // a share at either end that delayed loads never reach
  std::vector<double> all;
  for (const auto& of_sm : without_common_distance(latencies)) all.insert(all.end(), of_sm.begin(), of_sm.end());
  return std::min(analysis::cluster_gap * jitter, analysis::quantile(all, 1 - late) - analysis::quantile(all, late));
}

Latencies chosen_lines(const Latencies& latencies, const std::vector<bool>& is_chosen) {
  Latencies chosen(latencies.size());
  for (std::size_t sm = 0; sm < latencies.size(); ++sm) {
    for (std::size_t line = 0; line < is_chosen.size(); ++line) {
      if (is_chosen[line]) chosen[sm].push_back(latencies[sm][line]);
    }
  }
  return chosen;
}

/// Whether two SMs are near the same lines, but for delayed loads and lines that the cache had lost when one of them
/// loaded. Those of two partitions have no near line in common, however few lines belong to either.
bool are_near_the_same(const std::vector<bool>& one, const std::vector<bool>& other) {
  std::ptrdiff_t both = 0;
  for (std::size_t i = 0; i < one.size(); ++i) both += one[i] && other[i] ? 1 : 0;
  const auto [fewer, more] = std::minmax({std::ranges::count(one, true), std::ranges::count(other, true)});
  return fewer == 0 ? more == 0 : 2 * both >= fewer;
}

/// SMs grouped by the first SM that is near the same lines.
struct NearGroups {
  std::vector<std::size_t> leaders;
  std::vector<std::int64_t> of_sm;
};

NearGroups group_by_near_lines(const Near& near) {
  NearGroups groups;
  for (std::size_t sm = 0; sm < near.size(); ++sm) {
    const auto leader = std::ranges::find_if(
        groups.leaders, [&](std::size_t other) { return are_near_the_same(near[sm], near[other]); });
    groups.of_sm.push_back(leader - groups.leaders.begin());
    if (leader == groups.leaders.end()) groups.leaders.push_back(sm);
  }
  return groups;
}

/// Which lines are near. Leaves those in `latencies` that it says this of.
std::optional<Near> near_lines_among(Latencies& latencies, double jitter) {
  auto near = near_lines(latencies, {.absolute = jitter}, 0);
  if (near) {
    if (group_by_near_lines(*near).leaders.size() > 1) return near;
    // All SMs have the same lines in the first mode: those are held, near or far, and the others are lost.
    latencies = chosen_lines(latencies, near->front());
    if (latencies.front().size() < fewest_lines) return std::nullopt;
  }
  return nearer_lines(latencies, jitter);
}

/// Lines that a leader is near. The cache has lost the others: some policies let new lines replace each other.
struct HeldLines {
  std::vector<std::size_t> lines;
  std::size_t near_one = 0;  ///< of them, those near one leader only
};

HeldLines held_lines(const Near& near, const NearGroups& groups) {
  HeldLines held;
  for (std::size_t line = 0; line < near.front().size(); ++line) {
    const auto leaders = std::ranges::count_if(groups.leaders, [&](std::size_t sm) { return near[sm][line]; });
    if (leaders == 0) continue;
    held.lines.push_back(line);
    held.near_one += leaders == 1 ? 1 : 0;
  }
  return held;
}

/// The mean of each of `lines` over the SMs that are near it, or over the others, without a share of `trimmed` at
/// either end. Lines without such an SM are left out. All SMs load the same lines, so that only lines are independent
/// of each other.
std::vector<double> means_by_line(const Latencies& latencies, const Near& near, std::span<const std::size_t> lines,
                                  bool of_near, double trimmed) {
  std::vector<double> means;
  for (const std::size_t line : lines) {
    std::vector<double> of_line;
    for (std::size_t sm = 0; sm < latencies.size(); ++sm) {
      if (near[sm][line] == of_near) of_line.push_back(latencies[sm][line]);
    }
    if (!of_line.empty()) means.push_back(analysis::trimmed_mean(of_line, trimmed));
  }
  return means;
}

}  // namespace

FirstTouchGrouping::FirstTouchGrouping(std::int64_t sm_count, Translation translation)
    : open_(static_cast<std::size_t>(sm_count)), translation_(translation) {
  std::iota(open_.begin(), open_.end(), 0);
  found_.of_sm.assign(static_cast<std::size_t>(sm_count), -1);
}

void FirstTouchGrouping::add(std::vector<FirstTouch> touches) {
  if (!crossing_) crossing_ = crossing_of(touches, translation_);
  std::vector<std::int64_t> rest;
  for (const FirstTouch& one : touches) {
    const std::size_t far = crossing_ ? crossing_loads(one, crossing_->least) : 0;
    if (far <= tolerated_lines) {
      found_.of_sm[static_cast<std::size_t>(one.reader)] = found_.count;
    } else {
      rest.push_back(one.reader);
    }
    is_unclear_ = is_unclear_ || (far > tolerated_lines && far <= fewest_far_lines);
    near_none_ = near_none_ || far == one.first.size();
    // A second load is near, and the TLB of its SM knows the page.
    std::ranges::copy(one.second, std::back_inserter(found_.near));
    for (std::size_t i = 0; i < one.first.size(); ++i) {
      const double extra = one.first[i] - one.second[i];
      if (crossing_ && extra > crossing_->least && extra <= crossing_->most) found_.far.push_back(one.first[i]);
    }
  }
  std::ranges::move(touches, std::back_inserter(found_.matrix));
  const bool stuck = rest.size() == open_.size();
  if (!stuck) ++found_.count;
  open_ = stuck ? std::vector<std::int64_t>{} : std::move(rest);
}

Partitions FirstTouchGrouping::partitions() const {
  Partitions result = found_;
  result.replicated = result.count > 1;
  // What single loads of the only partition take longer is a miss, of a TLB or of L2.
  if (result.count == 1) result.far.clear();
  result.without_lines = near_none_;
  const bool grouped = std::ranges::count(result.of_sm, -1) == 0;
  result.undecided =
      !grouped || is_unclear_ || (result.count == 1 ? hides_crossing(result) : blurs(result, *crossing_));
  result.loses_lines = loses_lines(result) ||
                       (result.count > 1 && (holds_few(result, *crossing_) || is_far_by_loss(result, *crossing_)));
  return result;
}

double clock_of(const FirstTouch& touch) {
  return std::max(analysis::clock_step(touch.first), analysis::clock_step(touch.second));
}

std::int64_t passes_to_see_near_lines(Partitions& found) {
  constexpr double most_passes = 64;          // chosen to bound the time
  constexpr double error_of_a_median = 1.25;  // of a normal sample, in errors of its mean: sqrt(pi / 2)
  // The limit lies halfway between near and far: at eight errors one line in 30,000 falls on the wrong side.
  constexpr double clear = 8;
  const auto own = std::ranges::find_if(found.matrix, [](const FirstTouch& one) { return one.loader == one.reader; });
  const double noise = noise_of(*own);
  found.jitter = jitter_of(*own);
  // A standard error of 1.5 cycles makes a distance of 12 cycles visible. Short latencies may have a shorter one.
  const double wanted_error = std::min(1.5, least_share * analysis::median(own->second) / (clear * error_of_a_median));
  const double passes = std::clamp(std::ceil(noise * noise / (wanted_error * wanted_error)), 1.0, most_passes);
  found.visible_distance = clear * noise * (passes > 1 ? error_of_a_median / std::sqrt(passes) : 1);
  return static_cast<std::int64_t>(passes);
}

std::vector<double> medians_by_line(std::span<const double> loads, std::int64_t passes) {
  const auto lines = static_cast<std::int64_t>(loads.size()) / passes;
  std::vector<double> by_line;
  for (std::int64_t line = 0; line < lines; ++line) {
    std::vector<double> own;
    for (std::int64_t pass = 0; pass < passes; ++pass) {
      own.push_back(loads[static_cast<std::size_t>(pass * lines + line)]);
    }
    by_line.push_back(analysis::median(own));
  }
  return by_line;
}

void split_by_near_lines(Partitions& found, const std::vector<std::vector<double>>& latencies) {
  // No other SM tells whether lines of a second mode are another partition's, a farther slice's, or lost.
  if (latencies.size() == 1 && near_lines(latencies, {.absolute = found.jitter}, 0)) {
    found.undecided = true;
    return;
  }
  Latencies considered = latencies;
  const auto near = near_lines_among(considered, found.jitter);
  if (!near) {
    found.visible_distance = std::max(found.visible_distance, hidden_distance(latencies, found.jitter));
    return;
  }
  NearGroups groups = group_by_near_lines(*near);
  const HeldLines held = held_lines(*near, groups);
  const std::size_t lines = held.lines.size();
  if (groups.leaders.size() < 2 || lines < fewest_lines) return;
  if (held.near_one + lines * tolerated_lines / compared_lines < lines) return;
  // All SMs of partitions that have none of the lines seem to be of one partition.
  const bool each_has_own = std::ranges::all_of(
      groups.leaders, [&](std::size_t sm) { return std::ranges::find((*near)[sm], true) != (*near)[sm].end(); });
  if (!each_has_own) {
    found.undecided = true;
    return;
  }
  auto near_means = means_by_line(considered, *near, held.lines, true, 0);
  // Where the cache loses lines, it has lost some that other SMs found far. A choice: a quarter of the SMs, at most.
  const double lost = lines < latencies.front().size() ? 0.25 : 0;
  auto far_means = means_by_line(considered, *near, held.lines, false, lost);
  if (analysis::median(far_means) - analysis::median(near_means) < found.visible_distance) return;
  found.count = static_cast<std::int64_t>(groups.leaders.size());
  found.of_sm = std::move(groups.of_sm);
  found.near = std::move(near_means);
  found.far = std::move(far_means);
}

bool noise_hides_partitions(const Partitions& found) {
  return found.undecided || (found.count == 1 && found.visible_distance > least_share * analysis::median(found.near));
}

Mean undelayed_mean(std::span<const double> sample) {
  const double upper = analysis::quantile(sample, 0.75);
  const double fence = upper + 3 * (upper - analysis::quantile(sample, 0.25)) + 1;  // and the resolution of the clock
  double sum = 0;
  double squares = 0;
  double count = 0;
  for (const double one : sample) {
    if (one > fence) continue;
    sum += one;
    squares += one * one;
    ++count;
  }
  const double mean = sum / count;
  return {mean, std::sqrt(std::max(squares / count - mean * mean, 0.0) / count)};
}

}  // namespace tomograph::data_cache
