#include "executor.hpp"

#include <string>

#include "kernels.hpp"
#include "tomograph/session/instrument.hpp"

using tomograph::cuda::check;

Atomics::Atomics(const tomograph::Session& /*session*/, std::string_view target) {
  check(cudaSetDevice(std::stoi(std::string(target))), "selecting the GPU");
}

std::vector<tomograph::Answer> Atomics::execute(std::span<const tomograph::Experiment> batch) {
  return tomograph::answer_each(batch, [this](const tomograph::Experiment& experiment) {
    const auto number = [&](const char* name) {
      return static_cast<std::uint32_t>(tomograph::numbers<std::int64_t>(experiment.parameters, name).front());
    };
    return tomograph::Arrays{{"cycles", cycles(number("operations"), number("repetitions"))}};
  });
}

std::vector<std::uint32_t> Atomics::cycles(std::uint32_t operations, std::uint32_t repetitions) {
  const std::size_t bytes = repetitions * sizeof(std::uint32_t);
  buffer_.reserve(bytes + sizeof(std::uint32_t));
  check(time_atomics(operations, repetitions, reinterpret_cast<std::uint32_t*>(buffer_.data())), "starting the kernel");
  std::vector<std::uint32_t> copied(repetitions);
  check(cudaMemcpy(copied.data(), buffer_.data(), bytes, cudaMemcpyDeviceToHost), "running the kernel");
  return copied;
}
