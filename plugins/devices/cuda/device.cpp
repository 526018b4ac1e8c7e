#include "device.hpp"

#include <algorithm>
#include <charconv>
#include <string>
#include <variant>

#include "executor.hpp"
#include "facts.hpp"
#include "overhead.hpp"
#include "tomograph/cuda/error.hpp"

namespace tomograph::cuda {

struct Device::Gpu {
  explicit Gpu(int number) : executor(number) {}
  Executor executor;
  Overhead overhead;
};

namespace {

Answer refusal(tomograph_status status, std::string reason) { return {{}, status, std::move(reason)}; }

int device_count() {
  int count = 0;
  if (cudaGetDeviceCount(&count) == cudaSuccess) return count;
  static_cast<void>(cudaGetLastError());
  return 0;
}

int number_of(std::string_view target) {
  int number = -1;
  const auto [end, error] = std::from_chars(target.data(), target.data() + target.size(), number);
  const int count = device_count();
  if (error == std::errc{} && end == target.data() + target.size() && number >= 0 && number < count) return number;
  const std::string expected = count == 0 ? "but no usable CUDA device or driver was found"
                                          : "expected a number from 0 to " + std::to_string(count - 1);
  throw Refused(TOMOGRAPH_INVALID, "there is no GPU \"" + std::string(target) + "\", " + expected);
}

/// The program of an experiment, or why it is not run.
std::variant<chase::Program, Answer> accept(const Experiment& experiment, const Executor& executor) {
  if (experiment.id != TOMOGRAPH_CHASE_ID) {
    return refusal(TOMOGRAPH_UNSUPPORTED, "the cuda device does not execute experiment " + experiment.id);
  }
  try {
    chase::Program program = chase::decode(experiment);
    if (auto why = chase::violation(program)) return refusal(TOMOGRAPH_INVALID, std::move(*why));
    if (auto why = impossibility(program, executor.limits())) return refusal(TOMOGRAPH_INVALID, std::move(*why));
    const bool aliased =
        std::ranges::any_of(program.arrays, [](const auto& array) { return array.alias != chase::no_alias; });
    if (aliased && executor.alias_obstacle()) return refusal(TOMOGRAPH_UNSUPPORTED, *executor.alias_obstacle());
    return program;
  } catch (const std::invalid_argument& error) {
    return refusal(TOMOGRAPH_INVALID, error.what());
  }
}

}  // namespace

std::vector<Target> Device::enumerate(const Session& /*session*/) {
  std::vector<Target> targets;
  for (int i = 0; i < device_count(); ++i) {
    cudaDeviceProp properties{};
    if (cudaGetDeviceProperties(&properties, i) != cudaSuccess) {
      static_cast<void>(cudaGetLastError());
      continue;
    }
    targets.push_back({std::to_string(i), properties.name});
  }
  return targets;
}

Device::Device(const Session& session, std::string_view target) {
  const int device = number_of(target);
  check(cudaSetDevice(device), "selecting the device");
  check(cudaFree(nullptr), "creating a context");
  gpu_ = std::make_unique<Gpu>(device);
  publish_facts(session, device);
  gpu_->overhead = measure_overhead();
  session.log(TOMOGRAPH_DEBUG, "timing one load costs " + std::to_string(gpu_->overhead.each) +
                                   " cycles, timing many " + std::to_string(gpu_->overhead.total));
}

Device::~Device() = default;

std::vector<Answer> Device::execute(std::span<const Experiment> batch) {
  std::vector<Answer> answers(batch.size());
  std::vector<chase::Program> programs;
  std::vector<std::size_t> positions;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    auto accepted = accept(batch[i], gpu_->executor);
    if (auto* refused = std::get_if<Answer>(&accepted)) {
      answers[i] = std::move(*refused);
    } else {
      programs.push_back(std::get<chase::Program>(std::move(accepted)));
      positions.push_back(i);
    }
  }
  std::vector<Outcome> outcomes = gpu_->executor.run(programs);
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    Outcome& outcome = outcomes[i];
    if (outcome.failure) {
      answers[positions[i]] = refusal(TOMOGRAPH_FAILED, std::move(*outcome.failure));
      continue;
    }
    outcome.result.overhead_each = gpu_->overhead.each;
    outcome.result.overhead_total = gpu_->overhead.total;
    answers[positions[i]].arrays = chase::encode(outcome.result);
  }
  return answers;
}

}  // namespace tomograph::cuda
