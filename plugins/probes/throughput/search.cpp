#include "search.hpp"

#include <algorithm>
#include <stdexcept>

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
constexpr std::int64_t final_looks = 5;  ///< at each summit, as long as repetitions
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

/// Of each way of dealing out, the programs of the `count` points with the largest figures that are no less than
/// `share` of the largest of all; best first.
std::vector<streaming::Program> best_of_each_deal(std::vector<Point> points, std::int64_t count, double share) {
  std::ranges::stable_sort(points, std::greater<>{}, &Point::figure);
  std::vector<streaming::Program> programs;
  for (const Point& point : points) {
    const auto known = std::ranges::count(programs, point.program.deal, &streaming::Program::deal);
    if (known < count && point.figure >= share * points.front().figure) programs.push_back(point.program);
  }
  return programs;
}

void add_once(std::vector<streaming::Program>& programs, const streaming::Program& program) {
  if (std::ranges::find(programs, program) == programs.end()) programs.push_back(program);
}

/// What gives figures: long, and after a pass that leaves nothing to be done for the first time.
std::vector<streaming::Program> longer(std::vector<streaming::Program> programs) {
  for (streaming::Program& program : programs) {
    program.passes *= lengthening;
    program.warm_passes = std::max<std::int64_t>(program.warm_passes, 1);
  }
  return programs;
}

/// Repetitions of `program` until their median is known.
std::vector<streaming::Result> repeat_until_known(const Execute& execute, const streaming::Program& program,
                                                  const Figure& figure) {
  std::vector<streaming::Result> results;
  std::vector<double> figures;
  for (std::int64_t count = first_repetitions; count <= last_repetitions; count *= more_repetitions) {
    const auto known = static_cast<std::int64_t>(results.size());
    for (auto& result : repeat(execute, program, count - known, trials_of_repetitions + known)) {
      figures.push_back(figure(result));
      results.push_back(std::move(result));
    }
    if (openness(figures) <= precision) break;
  }
  return results;
}

/// One step of every climber in one batch. Those that found nothing better are added to `summits`, the others stay.
void step(const Execute& execute, std::vector<streaming::Program>& climbing, std::vector<streaming::Program>& summits,
          std::int64_t first_trial, const Room& room, const Figure& figure) {
  std::vector<streaming::Program> candidates;
  std::vector<std::size_t> begins;
  for (const streaming::Program& program : climbing) {
    begins.push_back(candidates.size());
    candidates.push_back(program);
    std::ranges::move(neighbours(program, room), std::back_inserter(candidates));
  }
  begins.push_back(candidates.size());
  const auto seen = medians(execute, candidates, first_trial, looks, figure);
  std::vector<streaming::Program> higher;
  for (std::size_t i = 0; i + 1 < begins.size(); ++i) {
    const std::size_t start = begins[i];
    const auto best = std::max_element(seen.begin() + static_cast<std::ptrdiff_t>(start),
                                       seen.begin() + static_cast<std::ptrdiff_t>(begins[i + 1]));
    const auto winner = static_cast<std::size_t>(best - seen.begin());
    add_once(*best > gain * seen[start] ? higher : summits, candidates[*best > gain * seen[start] ? winner : start]);
  }
  climbing = std::move(higher);
}

/// The summits that the climbers reach.
std::vector<streaming::Program> climb(const Execute& execute, std::vector<streaming::Program> climbing,
                                      const Room& room, const Figure& figure) {
  std::vector<streaming::Program> summits;
  for (std::int64_t i = 1; i <= most_steps && !climbing.empty(); ++i) {
    step(execute, climbing, summits, i * trials_of_step, room, figure);
  }
  for (const streaming::Program& program : climbing) add_once(summits, program);
  return summits;
}

}  // namespace

std::vector<double> Found::figures(const Figure& figure) const {
  std::vector<double> values;
  for (const streaming::Result& result : repetitions) values.push_back(figure(result));
  return values;
}

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
  for (const auto next : deals) add(&streaming::Program::deal, next);
  return programs;
}

Found search(const Execute& execute, const std::vector<streaming::Program>& coarse, const Room& room,
             const Figure& figure) {
  if (coarse.empty()) throw std::invalid_argument("there is nothing to search");
  Found found;
  found.surface = measured(execute, coarse, figure);
  const auto candidates = found.surface.empty() ? coarse : best_of_each_deal(found.surface, leaders, 0);
  const auto seen = medians(execute, candidates, 1, looks, figure);
  auto summits = climb(execute, best_of_each_deal(points_of(candidates, seen), 1, far_below), room, figure);
  if (summits.size() > 1) {
    const auto finals = medians(execute, longer(summits), trials_of_finals, final_looks, figure);
    std::swap(summits.front(), summits[static_cast<std::size_t>(std::ranges::max_element(finals) - finals.begin())]);
  }
  found.best = summits.front();
  found.repetitions = repeat_until_known(execute, longer({found.best}).front(), figure);
  found.best.ctas_per_sm = found.repetitions.front().ctas_per_sm;
  return found;
}

double openness(std::span<const double> figures) {
  const auto interval = analysis::median_interval(figures, interval_coverage);
  return (interval.high - interval.low) / 2 / analysis::median(figures);
}

std::vector<streaming::Result> repeat(const Execute& execute, const streaming::Program& program, std::int64_t count,
                                      std::int64_t first_trial) {
  std::vector<streaming::Program> batch(static_cast<std::size_t>(count), program);
  for (std::int64_t i = 0; i < count; ++i) batch[static_cast<std::size_t>(i)].trial = first_trial + i;
  return execute(batch);
}

}  // namespace tomograph::throughput
