#include "acquire_search.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <stdexcept>

#include "analysis_precision.hpp"
#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::throughput {

namespace {

/// The numbers of this search were chosen on an H200.
/// The surface leaves out programs with fewer accesses in flight than this part of the most. They take most of its time
/// and do not win: on an H100 a twentieth saturates L2, a twelfth memory.
constexpr std::int64_t least_part = 32;
constexpr std::int64_t leaders = 5;  ///< points of each distribution that run again
/// What is this far below the best of all neither is a start of hill climbing, which begins at the best point of each
/// distribution, nor are programs with fewer accesses in flight tried: local maxima differ by more than noise, and no
/// single step leads from one distribution to another.
constexpr double far_below = 0.9;
constexpr std::int64_t step_repetitions = 3;
constexpr std::int64_t most_steps = 6;
/// What a step must gain. Less is within the noise of a median of three.
constexpr double gain = 1.003;
/// A candidate that is slower by this share in its first run does not win its step: 3 % differ in two runs.
constexpr double behind = 0.97;
constexpr std::int64_t final_repetitions = 3;  ///< of each start and local maximum
/// Passes of a repetition, relative to those of a step: a choice needs many runs, a result long ones.
constexpr std::int64_t lengthening = 4;
/// Passes of a step, relative to those of the surface, whose many points only have to be ranked.
constexpr std::int64_t shortening = 4;
/// Many warps may get out of step after a while, so that a configuration transfers less in long runs (one SM of an
/// H200: 123 B/cycle in short runs, 118 in long ones). Below this share of the fastest run, the next one is tried:
/// single runs scatter by half a percent there, of which the fastest of fifty lies 1.2 % above their mean.
constexpr double kept = 0.985;
constexpr std::size_t most_candidates = 8;
/// First trial numbers, so that no two runs of a program are the same experiment.
constexpr std::int64_t trials_of_step = 10;
constexpr std::int64_t trials_of_finals = 500;
constexpr std::int64_t trials_of_repetitions = 1000;

bool fits(const streaming::Program& program, const Bounds& bounds) {
  const bool on_sm = program.threads >= streaming::warp_threads && program.threads <= streaming::maximum_threads &&
                     program.threads % streaming::warp_threads == 0 && program.ctas_per_sm >= 1 &&
                     program.threads * program.ctas_per_sm <= bounds.threads_per_sm && program.ilp >= 1 &&
                     program.ilp <= most_ilp;
  const auto sms = program.sms.empty() ? bounds.sms : static_cast<std::int64_t>(program.sms.size());
  return on_sm && !streaming::violation(program) &&
         streaming::rounded_footprint(program, program.ctas_per_sm, sms) <= program.bytes;
}

/// Of an SM.
std::int64_t accesses_in_flight(const streaming::Program& one) { return one.threads * one.ctas_per_sm * one.ilp; }

void leave_out_few_in_flight(std::vector<streaming::Program>& programs) {
  std::int64_t most = 0;
  for (const streaming::Program& one : programs) most = std::max(most, accesses_in_flight(one));
  std::erase_if(programs, [&](const streaming::Program& one) { return accesses_in_flight(one) < most / least_part; });
}

/// Runs each candidate `count` times, in turn, so that a change of the device affects all of them.
std::vector<double> medians(const Execute& execute, std::span<const streaming::Program> candidates,
                            std::int64_t first_trial, std::int64_t count, const Metric& metric) {
  std::vector<streaming::Program> batch;
  for (std::int64_t run = 0; run < count; ++run) {
    for (streaming::Program program : candidates) {
      program.trial = first_trial + run;
      batch.push_back(std::move(program));
    }
  }
  const auto results = execute(batch);
  std::vector<double> medians;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    std::vector<double> seen;
    for (std::size_t k = i; k < results.size(); k += candidates.size()) seen.push_back(metric(results[k]));
    medians.push_back(analysis::median(seen));
  }
  return medians;
}

/// Medians of `step_repetitions` runs of each candidate, but only one run of those that are far behind the best of
/// their step; steps begin at `begins`, each with the program that it starts from, and end at the next.
std::vector<double> medians_of_steps(const Execute& execute, const std::vector<streaming::Program>& candidates,
                                     std::span<const std::size_t> begins, std::int64_t first_trial,
                                     const Metric& metric) {
  auto seen = medians(execute, candidates, first_trial, 1, metric);
  std::vector<streaming::Program> again;
  std::vector<std::size_t> positions;
  for (std::size_t step = 0; step + 1 < begins.size(); ++step) {
    const auto own = std::span(seen).subspan(begins[step], begins[step + 1] - begins[step]);
    const double best = std::ranges::max(own);
    for (std::size_t i = begins[step]; i < begins[step + 1]; ++i) {
      if (i != begins[step] && seen[i] < behind * best) continue;
      again.push_back(candidates[i]);
      positions.push_back(i);
    }
  }
  std::vector<std::vector<double>> runs;
  for (std::int64_t run = 1; run < step_repetitions; ++run) {
    runs.push_back(medians(execute, again, first_trial + run, 1, metric));
  }
  for (std::size_t i = 0; i < positions.size(); ++i) {
    std::vector<double> all{seen[positions[i]]};
    for (const auto& run : runs) all.push_back(run[i]);
    seen[positions[i]] = analysis::median(all);
  }
  return seen;
}

/// Runs the surface once, from the programs with most accesses in flight to those with fewest: not those that have
/// fewer than programs which fell far below the best, since bandwidth then falls with them.
std::vector<Point> measured(const Execute& execute, std::vector<streaming::Program> coarse, const Metric& metric) {
  std::ranges::stable_sort(coarse, std::greater<>{}, accesses_in_flight);
  std::vector<Point> points;
  double best = 0;
  double before = 0;
  for (auto rest = std::span<const streaming::Program>(coarse); !rest.empty();) {
    const auto end = std::ranges::find_if(
        rest, [&](const auto& one) { return accesses_in_flight(one) != accesses_in_flight(rest.front()); });
    const auto level = rest.first(static_cast<std::size_t>(end - rest.begin()));
    rest = rest.subspan(level.size());
    std::vector<streaming::Program> batch(level.begin(), level.end());
    for (streaming::Program& program : batch) program.passes = std::max<std::int64_t>(program.passes / shortening, 1);
    const auto results = execute(batch);
    double now = 0;
    for (std::size_t i = 0; i < level.size(); ++i) {
      // A run with fewer CTAs is another point of the surface.
      if (results[i].ctas_per_sm != level[i].ctas_per_sm) continue;
      points.push_back({level[i], metric(results[i])});
      now = std::max(now, points.back().value);
    }
    best = std::max(best, now);
    if (now < far_below * best && now < before) break;
    before = now;
  }
  return points;
}

std::vector<Point> points_of(const std::vector<streaming::Program>& programs, const std::vector<double>& values) {
  std::vector<Point> points;
  for (std::size_t i = 0; i < programs.size(); ++i) points.push_back({programs[i], values[i]});
  return points;
}

std::vector<streaming::Program> programs_of(const std::vector<Point>& points) {
  std::vector<streaming::Program> programs;
  programs.reserve(points.size());
  for (const Point& point : points) programs.push_back(point.program);
  return programs;
}

/// Of each distribution, the `count` points with the largest values that are at least `share` of the largest of all;
/// best first.
std::vector<Point> best_of_each_distribution(std::vector<Point> points, std::int64_t count, double share) {
  std::ranges::stable_sort(points, std::greater<>{}, &Point::value);
  std::vector<Point> best;
  for (const Point& point : points) {
    const auto known =
        std::ranges::count(best, point.program.distribution, [](const Point& one) { return one.program.distribution; });
    if (known < count && point.value >= share * points.front().value) best.push_back(point);
  }
  return best;
}

void add_once(std::vector<Point>& points, const Point& point) {
  if (std::ranges::find(points, point.program, &Point::program) == points.end()) points.push_back(point);
}

/// The programs of results: long, and with a pass beforehand that does what happens once.
std::vector<streaming::Program> longer(std::vector<streaming::Program> programs) {
  for (streaming::Program& program : programs) {
    program.passes *= lengthening;
    program.warm_passes = std::max<std::int64_t>(program.warm_passes, 1);
  }
  return programs;
}

std::vector<double> values_of(std::span<const streaming::Result> results, const Metric& metric) {
  std::vector<double> values;
  values.reserve(results.size());
  for (const streaming::Result& result : results) values.push_back(metric(result));
  return values;
}

/// Repetitions of `program` until their median is precise.
std::vector<streaming::Result> repeat_until_precise(const Execute& execute, const streaming::Program& program,
                                                    const Metric& metric) {
  std::vector<streaming::Result> results;
  for (std::int64_t count = first_repetitions; count <= most_repetitions; count *= more_repetitions) {
    const auto known = static_cast<std::int64_t>(results.size());
    std::ranges::move(repeat(execute, program, count - known, trials_of_repetitions + known),
                      std::back_inserter(results));
    if (is_precise(values_of(results, metric))) break;
  }
  return results;
}

/// One step from every point in one batch. Points without a better neighbour are added to `maxima`, the others go on.
void take_step(const Execute& execute, std::vector<Point>& climbing, std::vector<Point>& maxima,
               std::int64_t first_trial, const Bounds& bounds, const Metric& metric) {
  std::vector<streaming::Program> candidates;
  std::vector<std::size_t> begins;
  for (const Point& point : climbing) {
    begins.push_back(candidates.size());
    candidates.push_back(point.program);
    std::ranges::move(neighbours(point.program, bounds), std::back_inserter(candidates));
  }
  begins.push_back(candidates.size());
  const auto seen = medians_of_steps(execute, candidates, begins, first_trial, metric);
  std::vector<Point> higher;
  for (std::size_t i = 0; i + 1 < begins.size(); ++i) {
    const std::size_t start = begins[i];
    const auto best = std::max_element(seen.begin() + static_cast<std::ptrdiff_t>(start),
                                       seen.begin() + static_cast<std::ptrdiff_t>(begins[i + 1]));
    const auto winner = static_cast<std::size_t>(best - seen.begin());
    if (*best > gain * seen[start]) {
      add_once(higher, {candidates[winner], *best});
    } else {
      add_once(maxima, {candidates[start], seen[start]});
    }
  }
  climbing = std::move(higher);
}

/// The local maxima that hill climbing reaches.
std::vector<Point> climb(const Execute& execute, std::vector<Point> climbing, const Bounds& bounds,
                         const Metric& metric) {
  std::vector<Point> maxima;
  for (std::int64_t i = 1; i <= most_steps && !climbing.empty(); ++i) {
    take_step(execute, climbing, maxima, i * trials_of_step, bounds, metric);
  }
  for (const Point& point : climbing) add_once(maxima, point);
  return maxima;
}

/// Repeats `candidates`, best first, until one sustains in long runs what any reached in short ones; takes the best of
/// those that were repeated. Of repetitions that are not precise, noise may be what falls short.
void choose_sustained(Found& found, const Execute& execute, std::span<const Point> candidates, const Metric& metric) {
  double fastest = std::ranges::max(candidates, {}, &Point::value).value;
  for (const Point& point : found.surface) fastest = std::max(fastest, point.value);
  double best = 0;
  for (const Point& candidate : candidates.first(std::min(most_candidates, candidates.size()))) {
    auto repetitions = repeat_until_precise(execute, longer({candidate.program}).front(), metric);
    const auto values = values_of(repetitions, metric);
    const double median = analysis::median(values);
    if (found.repetitions.empty() || median > best) {
      best = median;
      found.best = candidate.program;
      found.repetitions = std::move(repetitions);
    }
    if (best >= kept * fastest || !is_precise(values)) break;
  }
  found.best.ctas_per_sm = found.repetitions.front().ctas_per_sm;
}

}  // namespace

std::vector<double> Found::values(const Metric& metric) const { return values_of(repetitions, metric); }

std::vector<streaming::Program> surface(const streaming::Program& base, const Bounds& bounds) {
  std::vector<streaming::Program> programs;
  for (std::int64_t threads = streaming::warp_threads; threads <= streaming::maximum_threads; threads *= 2) {
    for (std::int64_t ctas = 1; ctas <= 32; ctas *= 2) {
      for (std::int64_t ilp = 1; ilp <= most_ilp; ilp *= 2) {
        streaming::Program program = base;
        program.threads = threads;
        program.ctas_per_sm = ctas;
        program.ilp = ilp;
        if (fits(program, bounds)) programs.push_back(std::move(program));
      }
    }
  }
  leave_out_few_in_flight(programs);
  return programs;
}

std::vector<streaming::Program> neighbours(const streaming::Program& program, const Bounds& bounds) {
  constexpr std::int64_t warp = streaming::warp_threads;
  std::vector<streaming::Program> programs;
  const auto add = [&](auto field, auto value) {
    streaming::Program next = program;
    next.*field = value;
    const bool known = next == program || std::ranges::find(programs, next) != programs.end();
    if (!known && fits(next, bounds)) programs.push_back(std::move(next));
  };
  const std::int64_t threads = program.threads;
  for (const std::int64_t next : {threads / 2, threads * 3 / 4, threads * 5 / 4, threads * 3 / 2, threads * 2}) {
    add(&streaming::Program::threads, next / warp * warp);
  }
  const std::int64_t ctas = program.ctas_per_sm;
  for (const std::int64_t next : {ctas / 2, ctas - 1, ctas + 1, ctas * 3 / 2, ctas * 2}) {
    add(&streaming::Program::ctas_per_sm, next);
  }
  for (const std::int64_t next : {program.ilp / 2, program.ilp * 2}) add(&streaming::Program::ilp, next);
  for (const auto next : distributions) add(&streaming::Program::distribution, next);
  return programs;
}

Found search(const Execute& execute, const std::vector<streaming::Program>& coarse, const Bounds& bounds,
             const Metric& metric, const Variants& variants) {
  if (coarse.empty()) throw std::invalid_argument("there is nothing to search");
  Found found;
  found.surface = measured(execute, coarse, metric);
  auto candidates = found.surface.empty() ? coarse : programs_of(best_of_each_distribution(found.surface, leaders, 0));
  if (variants) {
    std::vector<streaming::Program> varied;
    for (const streaming::Program& one : candidates) {
      for (streaming::Program& variant : variants(one)) {
        if (fits(variant, bounds)) varied.push_back(std::move(variant));
      }
    }
    candidates = std::move(varied);
  }
  const auto promising = points_of(candidates, medians(execute, candidates, 1, step_repetitions, metric));
  const auto starts = best_of_each_distribution(promising, 1, far_below);
  auto maxima = climb(execute, starts, bounds, metric);
  // Steps compare short runs, of which the luckiest wins: hill climbing may end lower than it started.
  for (const Point& start : starts) add_once(maxima, start);
  if (maxima.size() > 1) {
    const auto programs = programs_of(maxima);
    maxima = points_of(programs, medians(execute, longer(programs), trials_of_finals, final_repetitions, metric));
    std::ranges::stable_sort(maxima, std::greater<>{}, &Point::value);
  }
  for (const Point& point : best_of_each_distribution(promising, leaders, far_below)) add_once(maxima, point);
  choose_sustained(found, execute, maxima, metric);
  return found;
}

std::vector<streaming::Result> repeat(const Execute& execute, const streaming::Program& program, std::int64_t count,
                                      std::int64_t first_trial) {
  std::vector<streaming::Program> batch(static_cast<std::size_t>(count), program);
  for (std::int64_t i = 0; i < count; ++i) batch[static_cast<std::size_t>(i)].trial = first_trial + i;
  return execute(batch);
}

}  // namespace tomograph::throughput
