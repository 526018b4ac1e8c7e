#include "sim/l2_lines/eviction.hpp"

#include <stdexcept>

#include "sim/experiment_noise.hpp"
#include "sim/l2_lines/line_loads.hpp"

namespace tomograph::sim {

namespace {

/// Calls `visit` for all elements of runs, in order.
template <typename Visit>
void for_each_of(const std::vector<l2_lines::Run>& runs, Visit visit) {
  for (const auto& run : runs) {
    for (std::int64_t element = run.first; element < run.first + run.count; ++element) visit(element);
  }
}

/// Calls `visit` for all targets, in order, with the SM that loads each.
template <typename Visit>
void for_each_target(const l2_lines::Evictions& program, const l2_lines::EvictionTest& test, Visit visit) {
  const std::int64_t observers = std::ssize(program.observers);
  const std::int64_t share = (size_of(test.targets) + observers - 1) / observers;
  std::int64_t target = 0;
  for_each_of(test.targets,
              [&](std::int64_t line) { visit(line, program.observers[static_cast<std::size_t>(target++ / share)]); });
}

}  // namespace

l2_lines::EvictionResult L2Eviction::run(const l2_lines::Evictions& program, const Experiment& experiment) {
  const Gpu& gpu = hierarchy_->gpu;
  if (program.observers.back() >= gpu.sm_count || program.walkers.back() >= gpu.sm_count) {
    throw std::invalid_argument("the program names an SM that the device does not have");
  }
  UsedLines used(*hierarchy_, options_, {program.memory, program.step}, numbers_);
  for (const auto& test : program.tests) {
    for_each_of(test.targets, [&](std::int64_t line) { static_cast<void>(used.number_of(line)); });
    for_each_of(test.walk, [&](std::int64_t place) { static_cast<void>(used.number_at(place)); });
  }
  LineLoads loads(*hierarchy_, options_, used, Random(noise_seed(experiment, options_)));
  l2_lines::EvictionResult result;
  std::uint32_t target = 0;
  for (const auto& test : program.tests) {
    for (int load = 0; load < 2; ++load) {
      for_each_target(program, test, [&](std::int64_t line, std::int64_t sm) { loads.load(used.number_of(line), sm); });
    }
    for (std::int64_t walk = 0; walk < program.walks; ++walk) {
      std::size_t turn = 0;
      for_each_of(test.walk, [&](std::int64_t place) {
        loads.load(used.number_at(place), program.walkers[turn++ % program.walkers.size()]);
      });
    }
    for_each_target(program, test, [&](std::int64_t line, std::int64_t sm) {
      const std::uint32_t cycles = loads.time(used.number_of(line), sm);
      if (cycles > program.limit) {
        result.late.push_back(target);
        result.latency.push_back(cycles);
      }
      ++target;
    });
  }
  return result;
}

std::vector<Answer> L2Eviction::execute(std::span<const Experiment> batch) {
  return answer_each(batch, [this](const Experiment& experiment) {
    const auto program = l2_lines::decode_evictions(experiment);
    if (const auto why = violation(program)) throw std::invalid_argument(*why);
    return encode(run(program, experiment));
  });
}

}  // namespace tomograph::sim
