#include "cuda/chase/overhead.hpp"

#include <algorithm>
#include <array>
#include <boost/math/statistics/linear_regression.hpp>
#include <boost/math/statistics/univariate_statistics.hpp>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "cuda/chase/kernels.hpp"
#include "tomograph/cuda/error.hpp"
#include "tomograph/cuda/memory.hpp"

namespace tomograph::cuda {

namespace {

constexpr int warm_up = 3;
/// So many that what a phase takes besides its loads does not count.
constexpr std::int64_t phase_loads = 4096;
constexpr std::array other_paths{chase::Path::texture, chase::Path::texture_2d, chase::Path::constant,
                                 chase::Path::shared};

template <typename Number>
double median(std::vector<Number> sample) {
  return static_cast<double>(boost::math::statistics::median(sample));
}

double intercept(const std::uint32_t* cycles) {
  std::vector<double> lengths;
  std::vector<double> medians;
  for (const int length : chain_lengths) {
    lengths.push_back(length);
    medians.push_back(median(std::vector<double>(cycles + warm_up, cycles + chain_repetitions)));
    cycles += chain_repetitions;
  }
  return boost::math::statistics::simple_ordinary_least_squares(lengths, medians).first;
}

/// The overheads of the global paths and of phases.
Overhead time_timing() {
  constexpr std::size_t half = chain_lengths.size() * chain_repetitions;
  std::vector<std::uint32_t> cycles(2 * half);
  const std::size_t bytes = cycles.size() * sizeof(cycles.front());
  DeviceBuffer device_cycles;
  device_cycles.reserve(bytes);
  check(launch_time_timing(reinterpret_cast<std::uint32_t*>(device_cycles.data()), nullptr), "timing the timing");
  check(cudaMemcpy(cycles.data(), device_cycles.data(), bytes, cudaMemcpyDeviceToHost), "timing the timing");
  const double each = intercept(cycles.data());
  return {{{chase::Path::global_ca, each}, {chase::Path::global_cg, each}, {chase::Path::global_nc, each}},
          intercept(cycles.data() + half)};
}

/// Walks few nodes, which the smallest cache of every path holds, then times single loads and short phases.
chase::Program hits(chase::Path path) {
  const chase::Space space = chase::space_of(path);
  chase::Program program;
  program.arrays = {{512, chase::no_alias, space, space == chase::Space::texture ? 512 : 0}};
  program.rings = {{0, 0, 64, 8, chase::Order::sequential, 0, {}}};
  program.actors = {{chase::any_sm, path}};
  program.phases = {{0, 0, 0, 64, chase::Timing::untimed},
                    {0, 0, 0, 64, chase::Timing::each},
                    {0, 0, 0, phase_loads, chase::Timing::total}};
  return program;
}

}  // namespace

Overhead measure_overhead(Executor& executor) {
  Overhead overhead = time_timing();
  std::vector<chase::Program> programs;
  for (const chase::Path path : other_paths) programs.push_back(hits(path));
  const std::vector<Outcome> outcomes = executor.run(programs);
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const Outcome& outcome = outcomes[i];
    if (outcome.failure) throw std::runtime_error("timing the timing: " + *outcome.failure);
    const double share = (outcome.result.totals.front() - overhead.total) / phase_loads;
    overhead.each[other_paths[i]] = median(outcome.result.traces.front().latency) - share;
  }
  return overhead;
}

double overhead_each(const Overhead& overhead, const chase::Program& program) {
  if (program.actors.empty()) return 0;
  const auto timed = std::ranges::find(program.phases, chase::Timing::each, &chase::Phase::timing);
  const std::size_t actor = timed == program.phases.end() ? 0 : static_cast<std::size_t>(timed->actor);
  return overhead.each.at(program.actors[actor].path);
}

}  // namespace tomograph::cuda
