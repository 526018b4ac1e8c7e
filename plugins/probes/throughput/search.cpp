#include "search.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::throughput {

namespace {

constexpr std::int64_t leaders = 6;
constexpr std::int64_t looks = 3;  ///< at each candidate of a step
constexpr std::int64_t most_steps = 6;
/// What a step must gain: less is noise of the median of three.
constexpr double gain = 1.003;
constexpr std::int64_t repetitions = 11;
/// Passes of a repetition for one of a look: a choice needs many looks, a figure needs long ones.
constexpr std::int64_t lengthening = 4;
constexpr std::int64_t trials_of_step = 10;
constexpr std::int64_t trials_of_repetitions = 1000;

bool fits(const streaming::Program& program, const Room& room) {
  const bool on_sm = program.threads >= streaming::warp_threads && program.threads <= streaming::maximum_threads &&
                     program.threads % streaming::warp_threads == 0 && program.ctas_per_sm >= 1 &&
                     program.threads * program.ctas_per_sm <= room.threads_per_sm && program.ilp >= 1 &&
                     program.ilp <= 8;
  const auto sms = program.sms.empty() ? room.sms : static_cast<std::int64_t>(program.sms.size());
  return on_sm && streaming::rounded_footprint(program, program.ctas_per_sm, sms) <= program.bytes;
}

/// Each candidate `looks` times, one after the other and again, so that no one has the good minutes alone.
std::vector<double> medians(const Execute& execute, std::span<const streaming::Program> candidates,
                            std::int64_t first_trial, const Figure& figure) {
  std::vector<streaming::Program> batch;
  for (std::int64_t look = 0; look < looks; ++look) {
    for (streaming::Program program : candidates) {
      program.trial = first_trial + look;
      batch.push_back(std::move(program));
    }
  }
  const auto results = execute(batch);
  std::vector<double> medians;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    std::array<double, looks> seen{};
    for (std::size_t look = 0; look < seen.size(); ++look) seen[look] = figure(results[look * candidates.size() + i]);
    medians.push_back(analysis::median(seen));
  }
  return medians;
}

std::size_t largest(const std::vector<double>& values) {
  return static_cast<std::size_t>(std::ranges::max_element(values) - values.begin());
}

std::vector<Point> measured(const Execute& execute, const std::vector<streaming::Program>& coarse,
                            const Figure& figure) {
  const auto results = execute(coarse);
  std::vector<Point> points;
  for (std::size_t i = 0; i < coarse.size(); ++i) {
    // With fewer CTAs than asked for, it is another point of the surface.
    if (results[i].ctas_per_sm == coarse[i].ctas_per_sm) points.push_back({coarse[i], figure(results[i])});
  }
  return points;
}

std::vector<streaming::Program> best_of(std::vector<Point> points) {
  std::ranges::stable_sort(points, std::greater<>{}, &Point::figure);
  std::vector<streaming::Program> programs;
  for (const Point& point : points) {
    if (std::ssize(programs) < leaders) programs.push_back(point.program);
  }
  return programs;
}

/// Steps from `start` to the best neighbour as long as there is a better one.
streaming::Program climb(const Execute& execute, streaming::Program start, const Room& room, const Figure& figure) {
  for (std::int64_t step = 1; step <= most_steps; ++step) {
    std::vector<streaming::Program> candidates{start};
    std::ranges::move(neighbours(start, room), std::back_inserter(candidates));
    const auto seen = medians(execute, candidates, step * trials_of_step, figure);
    const std::size_t best = largest(seen);
    if (seen[best] <= gain * seen.front()) break;
    start = candidates[best];
  }
  return start;
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
  add(&streaming::Program::deal,
      program.deal == streaming::Deal::sliced ? streaming::Deal::interleaved : streaming::Deal::sliced);
  return programs;
}

Found search(const Execute& execute, const std::vector<streaming::Program>& coarse, const Room& room,
             const Figure& figure) {
  if (coarse.empty()) throw std::invalid_argument("there is nothing to search");
  Found found;
  found.surface = measured(execute, coarse, figure);
  const auto candidates = found.surface.empty() ? coarse : best_of(found.surface);
  const auto seen = medians(execute, candidates, 1, figure);
  found.best = climb(execute, candidates[largest(seen)], room, figure);
  streaming::Program longer = found.best;
  longer.passes *= lengthening;
  found.repetitions = repeat(execute, longer, repetitions, trials_of_repetitions);
  found.best.ctas_per_sm = found.repetitions.front().ctas_per_sm;
  return found;
}

std::vector<streaming::Result> repeat(const Execute& execute, const streaming::Program& program, std::int64_t count,
                                      std::int64_t first_trial) {
  std::vector<streaming::Program> batch(static_cast<std::size_t>(count), program);
  for (std::int64_t i = 0; i < count; ++i) batch[static_cast<std::size_t>(i)].trial = first_trial + i;
  return execute(batch);
}

}  // namespace tomograph::throughput
