#include "acquire_transfers.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <span>
#include <utility>

#include "tomograph/analysis/confidence.hpp"
#include "tomograph/analysis/undisturbed.hpp"

namespace tomograph::links {

namespace {

using transfer::Engine;
using transfer::Program;
using transfer::Route;

constexpr std::int64_t mebibyte = std::int64_t{1} << 20;
/// Passes of a copy last as long together, and so does a kernel that is as fast as copies: what begins and ends them,
/// some 5 us, is 0.5 %.
constexpr double seconds_of_a_transfer = 1e-3;
/// Passes of a first try last as long if copies reach this rate. Tries choose a size, for which it does not matter that
/// those of a link of 500 GB/s are ten times as short, and those of pageable memory five times as long.
constexpr double seconds_of_a_try = 0.25e-3;
constexpr double expected_rate = 50e9;
/// What each copy costs beside its bytes: where it is less or more, tries last so many times as long.
constexpr double expected_latency = 1.5e-6;
/// The least memory that a probe of bandwidths is useful with.
constexpr std::int64_t least_bytes = 32 * mebibyte;
/// On a link of 500 GB/s with 5 us of latency, doubling 250 MB raises the rate by 0.5 %, and so it saturates below.
constexpr std::int64_t most_bytes = 1024 * mebibyte;
constexpr std::array<std::int64_t, 3> ctas{1, 2, 4};
/// Repetitions that choose a size or a number of CTAs: a quarter of them is undisturbed, even if two others are not.
constexpr std::int64_t tries = 4;
/// Sizes up to this one are asked at once. On a link of 55 GB/s they saturate it.
constexpr std::int64_t bytes_at_once = 32 * mebibyte;

/// The largest transfer: a sixteenth of the memory that is free.
std::int64_t limit(const Session& session) {
  const auto free = session.fact<std::int64_t>("dram.free");
  if (!free) return most_bytes;
  const std::int64_t part = std::min(most_bytes, *free / 16) / transfer::granule * transfer::granule;
  if (part < least_bytes) throw Skip("resource", "less than 512 MiB of memory are free");
  return part;
}

/// What SMs move: a single pass, since L2 would serve a part of the next one.
std::int64_t bytes_of_sms(const Session& session, double rate) {
  const auto wanted = static_cast<std::int64_t>(seconds_of_a_transfer * rate);
  return std::clamp(wanted / transfer::granule * transfer::granule, least_bytes, limit(session));
}

/// Copies that last as long as `all_passes` if a pass takes `seconds`.
Program program_of(std::vector<Route> routes, std::int64_t bytes, double seconds, double all_passes) {
  const double passes = std::ceil(all_passes / seconds);
  return {.routes = std::move(routes),
          .bytes = bytes,
          .passes = static_cast<std::int64_t>(std::clamp<double>(passes, 1, transfer::maximum_passes))};
}

/// The seconds of each program, by repetition: trials from `first` to `last`. The first one warms up and does not
/// count: it loads kernels and touches memory.
std::vector<std::vector<double>> repeat(const Session& session, const std::vector<Program>& programs,
                                        std::int64_t first, std::int64_t last) {
  std::vector<Program> batch;
  // In turn, so that a disturbance meets all alike.
  for (std::int64_t trial = first; trial <= last; ++trial) {
    for (Program program : programs) {
      program.trial = trial;
      batch.push_back(std::move(program));
    }
  }
  const auto results = session.ask(batch);
  std::vector<std::vector<double>> seconds(programs.size());
  for (std::size_t i = programs.size(); i < results.size(); ++i) {
    seconds[i % programs.size()].push_back(results[i].seconds(batch[i], 0));
  }
  return seconds;
}

/// Sizes that double from `first` to `last`.
std::vector<std::int64_t> doubled(std::int64_t first, std::int64_t last) {
  std::vector<std::int64_t> sizes;
  for (std::int64_t bytes = first; bytes <= last; bytes *= 2) sizes.push_back(bytes);
  return sizes;
}

/// A copy that only chooses a size.
Program try_of(Route route, std::int64_t bytes) {
  const double seconds = expected_latency + static_cast<double>(bytes) / expected_rate;
  return program_of({route}, bytes, seconds, seconds_of_a_try);
}

/// Adds tries of these sizes to the curve.
void add_points(const Session& session, Route route, const std::vector<std::int64_t>& sizes, Curve& curve) {
  std::vector<Program> programs;
  for (const std::int64_t bytes : sizes) programs.push_back(try_of(route, bytes));
  const auto seconds = repeat(session, programs, 0, tries);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    curve.points.push_back({static_cast<double>(sizes[i]), seconds[i]});
  }
  // Once latency is a thousandth of a copy, the rate is that of this size, whatever else it depends on: copies of
  // pageable memory slow down where the host's caches end.
  curve.saturates = is_saturated(curve.points) || dwarfs_latency(curve.points);
}

/// Sizes that double from `second` until larger transfers are hardly faster, or cannot be, or memory ends; before them
/// the smallest, which tells the latency.
Curve rising_sizes(const Session& session, Route route, std::int64_t second = 2 * transfer::granule) {
  Curve curve;
  const std::int64_t most = limit(session);
  std::vector<std::int64_t> sizes = doubled(second, std::min(bytes_at_once, most));
  sizes.insert(sizes.begin(), transfer::granule);
  add_points(session, route, sizes, curve);
  while (!curve.saturates && 2 * curve.largest() <= most) {
    add_points(session, route, {2 * curve.largest()}, curve);
  }
  return curve;
}

/// Widths of intervals, as shares of their values, below which more repetitions would not make the value more useful:
/// for rates 1 % to either side, a third of what those of two runs may differ by; a half-peak size is known less well.
constexpr double narrow = 0.02;
constexpr double narrow_for_half_peak = 0.05;

bool is_narrow(const std::vector<double>& values, analysis::Faster faster, double narrow) {
  const auto found = analysis::undisturbed(values, faster, confidence::links::interval);
  return found.high - found.low <= narrow * found.value;
}

/// Adds further repetitions to those of each program.
void append(const std::vector<std::vector<double>>& more, std::vector<std::vector<double>>& seconds) {
  for (std::size_t i = 0; i < seconds.size(); ++i) std::ranges::copy(more[i], std::back_inserter(seconds[i]));
}

/// Replaces what the tries of these points told by repetitions, of which there are more if they scatter. If tries were
/// as long, they count among them.
void repeat_points(const Session& session, Route route, const std::vector<std::size_t>& points, double narrow,
                   Curve& curve) {
  std::vector<Program> programs;
  std::vector<std::vector<double>> seconds;
  for (const std::size_t point : points) {
    const SizePoint& tried = curve.points[point];
    programs.push_back(program_of({route}, static_cast<std::int64_t>(tried.bytes), tried.undisturbed_seconds(),
                                  seconds_of_a_transfer));
    seconds.push_back(tried.seconds);
  }
  const auto is_as_long = [&](const Program& program) { return program == try_of(route, program.bytes); };
  const bool tries_count = std::ranges::all_of(programs, is_as_long);
  if (!tries_count) seconds.assign(points.size(), {});
  const std::int64_t first = tries + 1;
  append(repeat(session, programs, first, first + repetitions - (tries_count ? tries : 0)), seconds);
  // Pageable copies are the host's work: they scatter for longer than repetitions last.
  const bool is_pageable = route.from == transfer::pageable || route.to == transfer::pageable;
  const auto is_known = [&](const std::vector<double>& some) {
    return is_pageable || is_narrow(some, analysis::Faster::less, narrow);
  };
  if (!std::ranges::all_of(seconds, is_known)) {
    append(repeat(session, programs, first + repetitions + 1, first + 2 * repetitions + 1), seconds);
  }
  for (std::size_t i = 0; i < points.size(); ++i) curve.points[points[i]].seconds = std::move(seconds[i]);
}

/// The undisturbed seconds of each program.
std::vector<double> least_of(const std::vector<std::vector<double>>& seconds) {
  std::vector<double> least;
  for (const auto& some : seconds) {
    least.push_back(analysis::undisturbed(some, analysis::Faster::less, confidence::links::interval).value);
  }
  return least;
}

std::vector<double> rates_of(std::int64_t bytes, const std::vector<double>& seconds) {
  std::vector<double> rates;
  for (const double time : seconds) rates.push_back(static_cast<double>(bytes) / time);
  return rates;
}

}  // namespace

std::vector<double> Curve::rates() const { return rates_of(largest(), points.back().seconds); }

Curve measure_curve(const Session& session, Route route) {
  Curve curve = rising_sizes(session, route);
  if (!curve.saturates) return curve;
  repeat_points(session, route, {curve.points.size() - 1}, narrow, curve);
  if (const auto half = half_peak_point(curve.points)) {
    std::vector<std::size_t> decisive{*half - 1};
    if (*half + 1 < curve.points.size()) decisive.push_back(*half);
    repeat_points(session, route, decisive, narrow_for_half_peak, curve);
  }
  return curve;
}

Curve measure_peak(const Session& session, Route route) {
  Curve curve = rising_sizes(session, route, bytes_at_once / 4);
  if (curve.saturates) repeat_points(session, route, {curve.points.size() - 1}, narrow, curve);
  return curve;
}

std::vector<std::vector<double>> measure_together(const Session& session, const std::vector<Route>& routes,
                                                  const Curve& copies) {
  std::vector<std::vector<double>> rates(routes.size());
  Program program =
      program_of(routes, copies.largest(), copies.points.back().undisturbed_seconds(), seconds_of_a_transfer);
  const auto is_known = [](const std::vector<double>& some) {
    return some.size() > repetitions || is_narrow(some, analysis::Faster::more, narrow);
  };
  do {
    std::vector<Program> programs(repetitions + 1, program);
    for (Program& one : programs) one.trial = program.trial++;
    const auto results = session.ask_each(std::span<const Program>(programs));
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (!results[i]) return {};
      if (i == 0) continue;  // warms up
      for (std::size_t route = 0; route < routes.size(); ++route) {
        rates[route].push_back(results[i]->rate(programs[i], route));
      }
    }
  } while (!std::ranges::all_of(rates, is_known));
  return rates;
}

SmRates measure_by_sms(const Session& session, Route route, const Curve& copies) {
  SmRates found{.bytes = bytes_of_sms(session, copies.points.back().rate())};
  std::vector<Program> programs;
  for (const std::int64_t number : ctas) {
    programs.push_back({.routes = {route}, .engine = Engine::sms, .bytes = found.bytes, .ctas_per_sm = number});
  }
  // After a warm-up, which is trial 0.
  auto seconds = repeat(session, programs, 0, tries);
  std::int64_t last = tries;
  if (!fewer_are_as_fast(least_of(seconds))) {
    // Or fewer CTAs were disturbed more.
    append(repeat(session, programs, last + 1, last + 1 + tries), seconds);
    last += 1 + tries;
  }
  const std::vector<double> least = least_of(seconds);
  found.saturates = fewer_are_as_fast(least);
  const auto best = static_cast<std::size_t>(std::ranges::min_element(least) - least.begin());
  if (found.saturates) {
    seconds[best] = repeat(session, {programs[best]}, last + 1, last + 1 + repetitions).front();
  }
  std::vector<double> number;
  std::vector<double> time;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    number.insert(number.end(), seconds[i].size(), static_cast<double>(programs[i].ctas_per_sm));
    time.insert(time.end(), seconds[i].begin(), seconds[i].end());
  }
  found.columns = {{"ctas_per_sm", number}, {"seconds", time}};
  found.rates = rates_of(found.bytes, seconds[best]);
  found.ctas_per_sm = programs[best].ctas_per_sm;
  return found;
}

std::vector<NamedArray> columns(const Curve& curve) {
  std::vector<double> bytes;
  std::vector<double> seconds;
  for (const SizePoint& point : curve.points) {
    for (const double time : point.seconds) {
      bytes.push_back(point.bytes);
      seconds.push_back(time);
    }
  }
  return {{"bytes", bytes}, {"seconds", seconds}};
}

}  // namespace tomograph::links
