#include "analysis_partition.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <numeric>

namespace tomograph::cache {

namespace {

constexpr std::int64_t lines = 64;

/// `loader` walks lines that nobody has used, then `reader` times two walks of its own over them.
chase::Program touch_program(const Subject& subject, std::int64_t loader, std::int64_t reader) {
  constexpr std::int64_t spacing = 4096;
  chase::Program program = program_for(subject, 2 * lines * spacing);
  program.alone = false;
  program.actors = {{loader, subject.path, 1}, {reader, subject.path, 1}};
  program.trial = loader * 4096 + reader;
  chase::Ring ring{.array = 0};
  for (const std::int64_t slot :
       random_choice(2 * lines * spacing / 512, lines, static_cast<std::uint64_t>(program.trial))) {
    ring.nodes.push_back(slot * 512);
  }
  add_ring(program, std::move(ring));
  program.phases = {{0, 0, 0, 2 * lines, chase::Timing::untimed},
                    {1, 0, 0, lines, chase::Timing::each},
                    {1, 0, 0, lines, chase::Timing::each}};
  return program;
}

std::vector<FirstTouch> touch(const Executor& execute, const Subject& subject, std::int64_t loader,
                              std::span<const std::int64_t> readers) {
  std::vector<chase::Program> programs;
  for (const std::int64_t reader : readers) programs.push_back(touch_program(subject, loader, reader));
  const auto results = execute(programs);
  std::vector<FirstTouch> seen;
  for (std::size_t i = 0; i < results.size(); ++i) {
    seen.push_back({loader, readers[i], net(results[i], 0), net(results[i], 1)});
  }
  return seen;
}

/// First minus second load of the same line by the same SM: the way to the line cancels out.
std::vector<double> extra_latency(const FirstTouch& touch) {
  std::vector<double> differences(touch.first.size());
  std::ranges::transform(touch.first, touch.second, differences.begin(), std::minus<>{});
  return differences;
}

/// The extra latency above which a first load crossed, if some did: the middle between the two modes.
std::optional<double> crossing(std::span<const FirstTouch> touches) {
  // Modes are sought among positive numbers of one scale.
  constexpr double shift = 10000;
  std::vector<double> all;
  for (const FirstTouch& one : touches) {
    for (const double difference : extra_latency(one)) all.push_back(difference + shift);
  }
  const auto found = analysis::modes(all, {.absolute = 8, .relative = 0, .min_weight = 0.02});
  if (found.size() < 2) return std::nullopt;
  return (found.front().high + found.back().low) / 2 - shift;
}

std::size_t crossed(const FirstTouch& touch, double limit) {
  const auto differences = extra_latency(touch);
  return static_cast<std::size_t>(std::ranges::count_if(differences, [&](double one) { return one > limit; }));
}

/// Standard deviation of one load, from two of each line by the SM that had loaded it.
double noise_of(const FirstTouch& own) {
  constexpr double of_a_normal = 1.4826;
  return of_a_normal * analysis::median_absolute_deviation(extra_latency(own)) / std::numbers::sqrt2;
}

/// Medians over `passes` of each line.
std::vector<double> medians(std::span<const double> loads, std::int64_t passes) {
  std::vector<double> by_line;
  for (std::int64_t line = 0; line < lines; ++line) {
    std::vector<double> own;
    for (std::int64_t pass = 0; pass < passes; ++pass)
      own.push_back(loads[static_cast<std::size_t>(pass * lines + line)]);
    by_line.push_back(analysis::median(own));
  }
  return by_line;
}

/// Every SM times the same lines that it has just loaded, `passes` times.
std::vector<std::vector<double>> warm_matrix(const Executor& execute, const Subject& subject, std::int64_t sm_count,
                                             std::int64_t passes) {
  constexpr std::int64_t spacing = 4096;
  chase::Program program = program_for(subject, lines * spacing);
  program.actors.clear();
  chase::Ring ring{.array = 0};
  for (std::int64_t i = 0; i < lines; ++i) ring.nodes.push_back(i * spacing + i % 8 * 512);
  add_ring(program, std::move(ring));
  for (std::int64_t sm = 0; sm < sm_count; ++sm) {
    program.actors.push_back({sm, subject.path, 1});
    program.phases.push_back({sm, 0, 0, 2 * lines, chase::Timing::untimed});
    program.phases.push_back({sm, 0, 0, passes * lines, chase::Timing::each});
  }
  const auto results = execute({&program, 1});
  std::vector<std::vector<double>> matrix;
  for (std::size_t sm = 0; sm < results.front().traces.size(); ++sm) {
    matrix.push_back(medians(net(results.front(), sm), passes));
  }
  return matrix;
}

/// Partitions whose far lines stay far: SMs of one partition are near the same lines, and each line is near exactly one
/// partition. Leaves `result` alone if latencies do not split like that.
void split_by_near_lines(Partitions& result, const std::vector<std::vector<double>>& matrix) {
  std::vector<double> all;
  for (const auto& row : matrix) all.insert(all.end(), row.begin(), row.end());
  const auto modes = analysis::modes(all);
  if (modes.size() < 2) return;
  const double limit = (modes[0].high + modes[1].low) / 2;
  const auto apart = [&](const std::vector<double>& a, const std::vector<double>& b) {
    std::size_t differing = 0;
    for (std::size_t i = 0; i < a.size(); ++i) differing += (a[i] > limit) != (b[i] > limit) ? 1 : 0;
    return differing;
  };
  constexpr std::size_t stray = lines / 8;
  std::vector<std::size_t> leaders;
  std::vector<std::int64_t> of_sm;
  for (std::size_t sm = 0; sm < matrix.size(); ++sm) {
    const auto leader =
        std::ranges::find_if(leaders, [&](std::size_t other) { return apart(matrix[sm], matrix[other]) <= stray; });
    of_sm.push_back(leader - leaders.begin());
    if (leader == leaders.end()) leaders.push_back(sm);
  }
  std::size_t near_one = 0;
  for (std::size_t line = 0; line < matrix.front().size(); ++line) {
    const auto near = std::ranges::count_if(leaders, [&](std::size_t sm) { return matrix[sm][line] <= limit; });
    near_one += near == 1 ? 1 : 0;
  }
  if (leaders.size() < 2 || near_one + stray < matrix.front().size()) return;
  result.count = static_cast<std::int64_t>(leaders.size());
  result.of_sm = std::move(of_sm);
  result.near.clear();
  result.far.clear();
  for (const double latency : all) (latency > limit ? result.far : result.near).push_back(latency);
}

/// With so many passes that noise leaves a distance of some 15 cycles visible, if that takes no more than 64.
void look_for_near_lines(const Executor& execute, const Subject& subject, Partitions& result) {
  constexpr double quiet = 1.5;
  constexpr double most_passes = 64;
  constexpr double of_a_median = 1.25;
  constexpr double clear = 8;
  const auto own = std::ranges::find_if(result.matrix, [](const FirstTouch& one) { return one.loader == one.reader; });
  const double noise = noise_of(*own);
  const double passes = std::clamp(std::ceil(noise * noise / (quiet * quiet)), 1.0, most_passes);
  result.visible_distance = clear * noise * (passes > 1 ? of_a_median / std::sqrt(passes) : 1);
  const auto sm_count = static_cast<std::int64_t>(result.of_sm.size());
  split_by_near_lines(result, warm_matrix(execute, subject, sm_count, static_cast<std::int64_t>(passes)));
}

/// Whether some pair of SMs is farther apart than lines by themselves show: on average over all lines.
bool hides_crossing(const Partitions& result) {
  constexpr double trimmed = 0.1;
  const double deviation =
      noise_of(result.matrix.front()) * std::numbers::sqrt2 / std::sqrt(static_cast<double>(lines));
  constexpr double significant = 6;
  return std::ranges::any_of(result.matrix, [&](const FirstTouch& one) {
    return std::abs(analysis::trimmed_mean(extra_latency(one), trimmed)) > significant * deviation + 1;
  });
}

}  // namespace

Partitions partitions(const Executor& execute, const Subject& subject, std::int64_t sm_count) {
  Partitions result;
  result.of_sm.assign(static_cast<std::size_t>(sm_count), -1);
  std::vector<std::int64_t> open(static_cast<std::size_t>(sm_count));
  std::iota(open.begin(), open.end(), 0);
  std::optional<double> limit;
  while (!open.empty()) {
    const std::int64_t loader = open.front();
    auto touches = touch(execute, subject, loader, open);
    if (!limit) limit = crossing(touches);
    std::vector<std::int64_t> rest;
    for (const FirstTouch& one : touches) {
      const std::size_t far = limit ? crossed(one, *limit) : 0;
      // Same partition: stray outliers only. Another one: half of the lines or more are not at home there.
      constexpr std::size_t stray = lines / 8;
      if (far <= stray) {
        result.of_sm[static_cast<std::size_t>(one.reader)] = result.count;
      } else {
        rest.push_back(one.reader);
      }
      for (std::size_t i = 0; i < one.first.size(); ++i) {
        const bool is_far = limit && one.first[i] - one.second[i] > *limit;
        (is_far ? result.far : result.near).push_back(one.first[i]);
      }
    }
    std::ranges::move(touches, std::back_inserter(result.matrix));
    if (rest.size() == open.size()) break;
    ++result.count;
    open = std::move(rest);
  }
  result.replicated = result.count > 1;
  result.undecided = result.count == 1 && hides_crossing(result);
  if (result.count == 1) look_for_near_lines(execute, subject, result);
  return result;
}

}  // namespace tomograph::cache
