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
/// Repetitions that choose a size or a number of CTAs, of which the fastest is undisturbed.
constexpr std::int64_t tries = 4;
/// As many tries as decide at most last 80 ms. In one of ten runs, two batches of a disturbed link left it open.
constexpr std::int64_t most_batches = 6;
/// Sizes up to this one are asked at once. On a link of 55 GB/s they saturate it.
constexpr std::int64_t bytes_at_once = 32 * mebibyte;
/// Of pageable memory, at 15 GB/s. Twice as much fills caches of the host only after twenty copies.
constexpr std::int64_t pageable_bytes_at_once = 16 * mebibyte;

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

/// Trials from `first` to `last` of each program, in turn, so that a disturbance meets all alike.
std::vector<Program> in_turn(const std::vector<Program>& programs, std::int64_t first, std::int64_t last) {
  std::vector<Program> batch;
  for (std::int64_t trial = first; trial <= last; ++trial) {
    for (Program program : programs) {
      program.trial = trial;
      batch.push_back(std::move(program));
    }
  }
  return batch;
}

/// The seconds of each program, by route and repetition: trials from `first` to `last`. The first one warms up and does
/// not count: it loads kernels and touches memory.
std::vector<std::vector<std::vector<double>>> repeat(const Session& session, const std::vector<Program>& programs,
                                                     std::int64_t first, std::int64_t last) {
  const auto batch = in_turn(programs, first, last);
  const auto results = session.ask(batch);
  std::vector<std::vector<std::vector<double>>> seconds;
  for (const Program& program : programs) seconds.emplace_back(program.routes.size());
  for (std::size_t i = programs.size(); i < results.size(); ++i) {
    auto& of_program = seconds[i % programs.size()];
    for (std::size_t route = 0; route < of_program.size(); ++route) {
      of_program[route].push_back(results[i].seconds(batch[i], route));
    }
  }
  return seconds;
}

/// The same of programs of one route each.
std::vector<std::vector<double>> repeat_tries(const Session& session, const std::vector<Program>& programs,
                                              std::int64_t first, std::int64_t last) {
  std::vector<std::vector<double>> seconds;
  for (auto& of_program : repeat(session, programs, first, last)) seconds.push_back(std::move(of_program.front()));
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
  const auto seconds = repeat_tries(session, programs, 0, tries);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    curve.points.push_back({static_cast<double>(sizes[i]), seconds[i]});
  }
  // Once latency is a thousandth of a copy, the rate is that of this size, whatever else it depends on: copies of
  // pageable memory slow down where the host's caches end.
  curve.saturates = is_saturated(curve.points) || dwarfs_latency(curve.points);
}

/// Sizes that double from `second` until larger transfers are hardly faster, or cannot be, or memory ends, those up to
/// `at_once` in one batch; before them the smallest, which tells the latency.
Curve rising_sizes(const Session& session, Route route, std::int64_t second, std::int64_t at_once) {
  Curve curve{.route = route};
  const std::int64_t most = limit(session);
  std::vector<std::int64_t> sizes = doubled(second, std::min(at_once, most));
  sizes.insert(sizes.begin(), transfer::granule);
  add_points(session, route, sizes, curve);
  while (!curve.saturates && 2 * curve.largest() <= most) {
    add_points(session, route, {2 * curve.largest()}, curve);
  }
  return curve;
}

bool is_pageable(Route route) { return route.from == transfer::pageable || route.to == transfer::pageable; }

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

/// The seconds of programs that differ in their CTAs, tried again while more CTAs seem to be faster: fewer may have
/// been disturbed more.
std::vector<std::vector<double>> try_ctas(const Session& session, const std::vector<Program>& programs) {
  std::vector<std::vector<double>> seconds(programs.size());
  for (std::int64_t batch = 0; batch < most_batches; ++batch) {
    const std::int64_t first = batch * (tries + 1);
    const auto more = repeat_tries(session, programs, first, first + tries);
    for (std::size_t i = 0; i < seconds.size(); ++i) std::ranges::copy(more[i], std::back_inserter(seconds[i]));
    if (fewer_are_as_fast(least_of(seconds))) break;
  }
  return seconds;
}

std::vector<NamedArray> columns(const std::vector<Program>& programs, const std::vector<std::vector<double>>& seconds) {
  std::vector<double> number;
  std::vector<double> time;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    number.insert(number.end(), seconds[i].size(), static_cast<double>(programs[i].ctas_per_sm));
    time.insert(time.end(), seconds[i].begin(), seconds[i].end());
  }
  return {{"ctas_per_sm", number}, {"seconds", time}};
}

}  // namespace

std::vector<double> Curve::rates() const { return rates_of(largest(), points.back().seconds); }

Curve try_sizes(const Session& session, Route route) {
  return rising_sizes(session, route, 2 * transfer::granule, bytes_at_once);
}

Curve try_large(const Session& session, Route route) {
  const std::int64_t at_once = is_pageable(route) ? pageable_bytes_at_once : bytes_at_once;
  return rising_sizes(session, route, at_once / 4, at_once);
}

void Rounds::add_point(Curve& curve, std::size_t point) {
  const SizePoint& tried = curve.points[point];
  programs_.push_back(program_of({curve.route}, static_cast<std::int64_t>(tried.bytes), tried.undisturbed_seconds(),
                                 seconds_of_a_transfer));
  keep_.emplace_back([&curve, point](const auto& seconds) { curve.points[point].seconds = seconds.front(); });
}

void Rounds::add_largest(Curve& curve) {
  if (curve.saturates) add_point(curve, curve.points.size() - 1);
}

void Rounds::add_half_peak(Curve& curve) {
  const auto half = half_peak_point(curve.points);
  if (!curve.saturates || !half) return;
  add_point(curve, *half - 1);
  if (*half + 1 < curve.points.size()) add_point(curve, *half);  // else it is the largest
}

void Rounds::add_together(const Session& session, const std::vector<Route>& routes, const Curve& copies,
                          std::vector<std::vector<double>>& rates) {
  const std::vector programs{
      program_of(routes, copies.largest(), copies.points.back().undisturbed_seconds(), seconds_of_a_transfer)};
  if (!session.ask_each(std::span<const Program>(programs)).front()) return;
  programs_.push_back(programs.front());
  keep_.emplace_back([&rates, bytes = copies.largest()](const auto& seconds) {
    for (const auto& of_route : seconds) rates.push_back(rates_of(bytes, of_route));
  });
}

void Rounds::add_by_sms(const Session& session, Route route, const Curve& copies, SmRates& rates) {
  rates.bytes = bytes_of_sms(session, copies.points.back().rate());
  std::vector<Program> programs;
  for (const std::int64_t number : ctas) {
    programs.push_back({.routes = {route}, .engine = Engine::sms, .bytes = rates.bytes, .ctas_per_sm = number});
  }
  auto seconds = try_ctas(session, programs);
  const std::vector<double> least = least_of(seconds);
  const auto best = static_cast<std::size_t>(std::ranges::min_element(least) - least.begin());
  rates.saturates = fewer_are_as_fast(least);
  rates.ctas_per_sm = programs[best].ctas_per_sm;
  rates.rates = rates_of(rates.bytes, seconds[best]);
  rates.columns = columns(programs, seconds);
  if (!rates.saturates) return;
  programs_.push_back(programs[best]);
  keep_.emplace_back([&rates, programs, seconds, best](const auto& repeated) mutable {
    seconds[best] = repeated.front();
    rates.rates = rates_of(rates.bytes, seconds[best]);
    rates.columns = columns(programs, seconds);
  });
}

void Rounds::run(const Session& session) {
  if (programs_.empty()) return;
  const std::int64_t first = most_batches * (tries + 1);  // after all tries
  const auto seconds = repeat(session, programs_, first, first + repetitions);
  for (std::size_t i = 0; i < seconds.size(); ++i) keep_[i](seconds[i]);
}

Curve measure_curve(const Session& session, Route route) {
  Curve curve = try_sizes(session, route);
  Rounds rounds;
  rounds.add_largest(curve);
  rounds.add_half_peak(curve);
  rounds.run(session);
  return curve;
}

std::vector<std::vector<double>> measure_together(const Session& session, const std::vector<Route>& routes,
                                                  const Curve& copies) {
  std::vector<std::vector<double>> rates;
  Rounds rounds;
  rounds.add_together(session, routes, copies, rates);
  rounds.run(session);
  return rates;
}

SmRates measure_by_sms(const Session& session, Route route, const Curve& copies) {
  SmRates rates;
  Rounds rounds;
  rounds.add_by_sms(session, route, copies, rates);
  rounds.run(session);
  return rates;
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
