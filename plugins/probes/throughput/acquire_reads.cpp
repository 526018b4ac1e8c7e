#include "acquire_reads.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "analysis_precision.hpp"

namespace tomograph::throughput {

namespace {

/// An SM reads so much that the start and the end of a program do not count. Chosen on an H200.
constexpr std::int64_t bytes_of_all_passes = 3'200'000;

/// The sum of the rates of all SMs, each over its own time. SMs that end sooner do not leave the others more than they
/// had before, if each group has a link of its own.
double sum_of_rates(const streaming::Result& result) {
  const auto rates = result.bytes_per_cycle();
  return std::accumulate(rates.begin(), rates.end(), 0.0);
}

/// The program with so few loads at a time that one of each of its threads does not read more than `bytes_per_sm`.
streaming::Program fitted(streaming::Program program, std::int64_t bytes_per_sm) {
  const auto is_too_large = [&] {
    return streaming::rounded_footprint(program, program.ctas_per_sm, 1) > bytes_per_sm;
  };
  while (program.ilp > 1 && is_too_large()) program.ilp /= 2;
  while (program.ctas_per_sm > 1 && is_too_large()) program.ctas_per_sm /= 2;
  return program;
}

/// Loads that keep the link of an SM busy, whatever the latency, in two shapes.
std::vector<streaming::Program> shapes(std::int64_t bytes_per_sm, const Bounds& bounds) {
  std::vector<streaming::Program> programs;
  for (const std::int64_t threads : {256, 512}) {
    programs.push_back(
        fitted({.ilp = 4,
                .threads = threads,
                .ctas_per_sm = std::max<std::int64_t>(std::min<std::int64_t>(bounds.threads_per_sm, 1024) / threads, 1),
                .bytes = bytes_per_sm,
                .distribution = streaming::Distribution::sliced,
                .warm_passes = 2,
                .passes = std::max<std::int64_t>(bytes_of_all_passes / bytes_per_sm, 2)},
               bytes_per_sm));
  }
  return programs;
}

}  // namespace

std::vector<Rates> measure(const Execute& execute, const std::vector<Load>& loads, std::int64_t first_trial,
                           std::int64_t count) {
  std::vector<streaming::Program> batch;
  for (std::int64_t run = 0; run < count; ++run) {
    for (const Load& load : loads) {
      batch.push_back(load.program);
      batch.back().trial = first_trial + run;
    }
  }
  const auto results = execute(batch);
  std::vector<Rates> measured;
  for (std::size_t i = 0; i < loads.size(); ++i) {
    Rates one{.sms = loads[i].sms};
    for (std::size_t k = i; k < results.size(); k += loads.size()) {
      one.repetitions.push_back(sum_of_rates(results[k]));
      one.clock_hz = results[k].clock_hz;
    }
    measured.push_back(std::move(one));
  }
  return measured;
}

std::vector<Load> choose(const Execute& execute, const std::vector<Sms>& sets, std::int64_t bytes_per_sm,
                         const Bounds& bounds) {
  std::vector<Load> loads;
  for (const Sms& sms : sets) {
    for (streaming::Program program : shapes(bytes_per_sm, bounds)) {
      program.bytes *= static_cast<std::int64_t>(sms.size());
      program.sms = sms;
      loads.push_back({sms, std::move(program)});
    }
  }
  const auto measured = measure(execute, loads, 0, choice_repetitions);
  const std::size_t of_a_set = loads.size() / sets.size();
  std::vector<Load> chosen;
  for (std::size_t set = 0; set < sets.size(); ++set) {
    const auto begin = measured.begin() + static_cast<std::ptrdiff_t>(set * of_a_set);
    const auto best = std::max_element(begin, begin + static_cast<std::ptrdiff_t>(of_a_set),
                                       [](const Rates& a, const Rates& b) { return a.median() < b.median(); });
    chosen.push_back(std::move(loads[static_cast<std::size_t>(best - measured.begin())]));
  }
  return chosen;
}

std::vector<Rates> measure_until_precise(const Execute& execute, const std::vector<Load>& loads) {
  auto measured = measure(execute, loads, choice_repetitions, first_repetitions);
  const auto is_imprecise = [](const Rates& one) { return !is_precise(one.repetitions); };
  while (std::ranges::any_of(measured, is_imprecise)) {
    const auto count = static_cast<std::int64_t>(measured.front().repetitions.size());
    if (count * more_repetitions > most_repetitions) break;
    const auto more = measure(execute, loads, choice_repetitions + count, count * (more_repetitions - 1));
    for (std::size_t i = 0; i < measured.size(); ++i) {
      auto& all = measured[i].repetitions;
      all.insert(all.end(), more[i].repetitions.begin(), more[i].repetitions.end());
    }
  }
  return measured;
}

}  // namespace tomograph::throughput
