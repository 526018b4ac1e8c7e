#include "search.hpp"

#include <algorithm>
#include <stdexcept>

#include "tomograph/analysis/confidence.hpp"
#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::throughput {

namespace {

constexpr std::int64_t leaders = 5;  ///< of each way of dealing out
/// A climb starts where each way of dealing out does best, unless this is far below: there are several summits, which
/// differ by more than noise, and between ways no single step leads up.
constexpr double far_below = 0.9;
constexpr std::int64_t looks = 3;  ///< at each candidate of a step
constexpr std::int64_t most_steps = 6;
/// What a step must gain: less is noise of the median of three.
constexpr double gain = 1.003;
constexpr std::int64_t final_looks = 5;  ///< at each start and summit, as long as repetitions
/// Repetitions of the winner: so many at first, three times as many as long as they leave the figure more open than
/// `precision`, and no more than the last.
constexpr std::int64_t first_repetitions = 11;
constexpr std::int64_t last_repetitions = 297;
constexpr std::int64_t more_repetitions = 3;
constexpr double precision = useful_openness / 2;
/// Passes of a repetition for one of a look: a choice needs many looks, a figure needs long ones.
constexpr std::int64_t lengthening = 4;
/// And of a look for one of the surface, whose many points only have to be told from their betters.
constexpr std::int64_t shortening = 4;
/// Many warps may fall out of step after a while, so that a configuration carries less for long than at first (one SM
/// of an H200 drew 123 B/cycle in looks and 118 in repetitions). Then the next has its turn, up to so many.
constexpr double kept = 0.98;
constexpr std::size_t most_contenders = 3;
constexpr std::int64_t trials_of_step = 10;
constexpr std::int64_t trials_of_finals = 500;
constexpr std::int64_t trials_of_repetitions = 1000;

bool fits(const streaming::Program& program, const Room& room) {
  const bool on_sm = program.threads >= streaming::warp_threads && program.threads <= streaming::maximum_threads &&
                     program.threads % streaming::warp_threads == 0 && program.ctas_per_sm >= 1 &&
                     program.threads * program.ctas_per_sm <= room.threads_per_sm && program.ilp >= 1 &&
                     program.ilp <= 8;
  const auto sms = program.sms.empty() ? room.sms : static_cast<std::int64_t>(program.sms.size());
  return on_sm && streaming::rounded_footprint(program, program.ctas_per_sm, sms) <= program.bytes;
}

/// Each candidate `count` times, one after the other and again, so that no one has the good minutes alone.
std::vector<double> medians(const Execute& execute, std::span<const streaming::Program> candidates,
                            std::int64_t first_trial, std::int64_t count, const Figure& figure) {
  std::vector<streaming::Program> batch;
  for (std::int64_t look = 0; look < count; ++look) {
    for (streaming::Program program : candidates) {
      program.trial = first_trial + look;
      batch.push_back(std::move(program));
    }
  }
  const auto results = execute(batch);
  std::vector<double> medians;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    std::vector<double> seen;
    for (std::size_t k = i; k < results.size(); k += candidates.size()) seen.push_back(figure(results[k]));
    medians.push_back(analysis::median(seen));
  }
  return medians;
}

std::vector<Point> measured(const Execute& execute, const std::vector<streaming::Program>& coarse,
                            const Figure& figure) {
  auto batch = coarse;
  for (streaming::Program& program : batch) program.passes = std::max<std::int64_t>(program.passes / shortening, 1);
  const auto results = execute(batch);
  std::vector<Point> points;
  for (std::size_t i = 0; i < coarse.size(); ++i) {
    // With fewer CTAs than asked for, it is another point of the surface.
    if (results[i].ctas_per_sm == coarse[i].ctas_per_sm) points.push_back({coarse[i], figure(results[i])});
  }
  return points;
}

std::vector<Point> points_of(const std::vector<streaming::Program>& programs, const std::vector<double>& figures) {
  std::vector<Point> points;
  for (std::size_t i = 0; i < programs.size(); ++i) points.push_back({programs[i], figures[i]});
  return points;
}

std::vector<streaming::Program> programs_of(const std::vector<Point>& points) {
  std::vector<streaming::Program> programs;
  programs.reserve(points.size());
  for (const Point& point : points) programs.push_back(point.program);
  return programs;
}

/// Of each way of dealing out, the `count` points with the largest figures that are no less than `share` of the largest
/// of all; best first.
std::vector<Point> best_of_each_deal(std::vector<Point> points, std::int64_t count, double share) {
  std::ranges::stable_sort(points, std::greater<>{}, &Point::figure);
  std::vector<Point> best;
  for (const Point& point : points) {
    const auto known =
        std::ranges::count(best, point.program.distribution, [](const Point& one) { return one.program.distribution; });
    if (known < count && point.figure >= share * points.front().figure) best.push_back(point);
  }
  return best;
}

void add_once(std::vector<Point>& points, const Point& point) {
  if (std::ranges::find(points, point.program, &Point::program) == points.end()) points.push_back(point);
}

/// What gives figures: long, and after a pass that leaves nothing to be done for the first time.
std::vector<streaming::Program> longer(std::vector<streaming::Program> programs) {
  for (streaming::Program& program : programs) {
    program.passes *= lengthening;
    program.warm_passes = std::max<std::int64_t>(program.warm_passes, 1);
  }
  return programs;
}

std::vector<double> figures_of(std::span<const streaming::Result> results, const Figure& figure) {
  std::vector<double> figures;
  figures.reserve(results.size());
  for (const streaming::Result& result : results) figures.push_back(figure(result));
  return figures;
}

/// Repetitions of `program` until their median is known.
std::vector<streaming::Result> repeat_until_known(const Execute& execute, const streaming::Program& program,
                                                  const Figure& figure) {
  std::vector<streaming::Result> results;
  for (std::int64_t count = first_repetitions; count <= last_repetitions; count *= more_repetitions) {
    const auto known = static_cast<std::int64_t>(results.size());
    std::ranges::move(repeat(execute, program, count - known, trials_of_repetitions + known),
                      std::back_inserter(results));
    if (openness(figures_of(results, figure)) <= precision) break;
  }
  return results;
}

/// One step of every climber in one batch. Those that found nothing better are added to `summits`, the others stay.
void step(const Execute& execute, std::vector<Point>& climbing, std::vector<Point>& summits, std::int64_t first_trial,
          const Room& room, const Figure& figure) {
  std::vector<streaming::Program> candidates;
  std::vector<std::size_t> begins;
  for (const Point& point : climbing) {
    begins.push_back(candidates.size());
    candidates.push_back(point.program);
    std::ranges::move(neighbours(point.program, room), std::back_inserter(candidates));
  }
  begins.push_back(candidates.size());
  const auto seen = medians(execute, candidates, first_trial, looks, figure);
  std::vector<Point> higher;
  for (std::size_t i = 0; i + 1 < begins.size(); ++i) {
    const std::size_t start = begins[i];
    const auto best = std::max_element(seen.begin() + static_cast<std::ptrdiff_t>(start),
                                       seen.begin() + static_cast<std::ptrdiff_t>(begins[i + 1]));
    const auto winner = static_cast<std::size_t>(best - seen.begin());
    if (*best > gain * seen[start]) {
      add_once(higher, {candidates[winner], *best});
    } else {
      add_once(summits, {candidates[start], seen[start]});
    }
  }
  climbing = std::move(higher);
}

/// The summits that the climbers reach.
std::vector<Point> climb(const Execute& execute, std::vector<Point> climbing, const Room& room, const Figure& figure) {
  std::vector<Point> summits;
  for (std::int64_t i = 1; i <= most_steps && !climbing.empty(); ++i) {
    step(execute, climbing, summits, i * trials_of_step, room, figure);
  }
  for (const Point& point : climbing) add_once(summits, point);
  return summits;
}

/// Repeats the most promising of `contenders`, which come first, until one keeps its promise; takes the best of those.
void settle(Found& found, const Execute& execute, std::span<const Point> contenders, const Figure& figure) {
  double best = 0;
  for (const Point& contender : contenders.first(std::min(most_contenders, contenders.size()))) {
    auto repetitions = repeat_until_known(execute, longer({contender.program}).front(), figure);
    const double median = analysis::median(figures_of(repetitions, figure));
    if (found.repetitions.empty() || median > best) {
      best = median;
      found.best = contender.program;
      found.repetitions = std::move(repetitions);
    }
    if (median >= kept * contender.figure) break;
  }
  found.best.ctas_per_sm = found.repetitions.front().ctas_per_sm;
}

}  // namespace

std::vector<double> Found::figures(const Figure& figure) const { return figures_of(repetitions, figure); }

std::vector<streaming::Program> surface(const streaming::Program& base, const Room& room) {
  std::vector<streaming::Program> programs;
  for (std::int64_t threads = streaming::warp_threads; threads <= streaming::maximum_threads; threads *= 2) {
    for (std::int64_t ctas = 1; ctas <= 32; ctas *= 2) {
      for (std::int64_t ilp = 1; ilp <= 8; ilp *= 2) {
        streaming::Program program = base;
        program.threads = threads;
        program.ctas_per_sm = ctas;
        program.ilp = ilp;
        if (fits(program, room)) programs.push_back(std::move(program));
      }
    }
  }
  return programs;
}

std::vector<streaming::Program> neighbours(const streaming::Program& program, const Room& room) {
  constexpr std::int64_t warp = streaming::warp_threads;
  std::vector<streaming::Program> programs;
  const auto add = [&](auto field, auto value) {
    streaming::Program next = program;
    next.*field = value;
    const bool known = next == program || std::ranges::find(programs, next) != programs.end();
    if (!known && fits(next, room)) programs.push_back(std::move(next));
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

Found search(const Execute& execute, const std::vector<streaming::Program>& coarse, const Room& room,
             const Figure& figure) {
  if (coarse.empty()) throw std::invalid_argument("there is nothing to search");
  Found found;
  found.surface = measured(execute, coarse, figure);
  const auto candidates = found.surface.empty() ? coarse : programs_of(best_of_each_deal(found.surface, leaders, 0));
  const auto promising = points_of(candidates, medians(execute, candidates, 1, looks, figure));
  const auto starts = best_of_each_deal(promising, 1, far_below);
  auto summits = climb(execute, starts, room, figure);
  // Steps follow short looks, of which the luckiest wins: a climb may end lower than it began.
  for (const Point& start : starts) add_once(summits, start);
  if (summits.size() > 1) {
    const auto programs = programs_of(summits);
    summits = points_of(programs, medians(execute, longer(programs), trials_of_finals, final_looks, figure));
    std::ranges::stable_sort(summits, std::greater<>{}, &Point::figure);
  }
  for (const Point& point : best_of_each_deal(promising, leaders, far_below)) add_once(summits, point);
  settle(found, execute, summits, figure);
  return found;
}

double openness(std::span<const double> figures) {
  const auto interval = analysis::median_interval(figures, confidence::throughput::interval);
  return (interval.high - interval.low) / 2 / analysis::median(figures);
}

std::vector<streaming::Result> repeat(const Execute& execute, const streaming::Program& program, std::int64_t count,
                                      std::int64_t first_trial) {
  std::vector<streaming::Program> batch(static_cast<std::size_t>(count), program);
  for (std::int64_t i = 0; i < count; ++i) batch[static_cast<std::size_t>(i)].trial = first_trial + i;
  return execute(batch);
}

}  // namespace tomograph::throughput
