#include "executor.hpp"

#include "kernels.hpp"

std::vector<tomograph::Answer> Atomics::execute(std::span<const tomograph::Experiment> batch) {
  return tomograph::answer_each(batch, [this](const tomograph::Experiment& experiment) {
    const auto number = [&](const char* name) {
      return static_cast<std::uint32_t>(tomograph::numbers<std::int64_t>(experiment.parameters, name).front());
    };
    return tomograph::Arrays{{"cycles", cycles(number("operations"), number("repetitions"))}};
  });
}

std::vector<std::uint32_t> Atomics::cycles(std::uint32_t operations, std::uint32_t repetitions) {
  auto* memory = gpu_.zeros<std::uint32_t>(repetitions + 1);
  tomograph::cuda::check(time_atomics(operations, repetitions, memory, gpu_.stream()), "starting the kernel");
  return gpu_.fetch(memory, repetitions);
}
