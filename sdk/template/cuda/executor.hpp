#ifndef EXECUTOR_HPP
#define EXECUTOR_HPP

#include <span>
#include <string_view>
#include <vector>

#include "tomograph/cuda/memory.hpp"
#include "tomograph/session/session.hpp"

/// Executes the experiment of this plugin on a GPU. Parameters "operations" and "repetitions" (I64), answer "cycles"
/// (U32): of all operations, by repetition.
class Atomics {
 public:
  static constexpr const char* experiment = "@PLUGIN@.atomics/1";
  static constexpr const char* device = "cuda";
  static constexpr const char* description = "Times dependent atomic adds on shared memory";

  Atomics(const tomograph::Session& session, std::string_view target);
  [[nodiscard]] std::vector<tomograph::Answer> execute(std::span<const tomograph::Experiment> batch);

 private:
  [[nodiscard]] std::vector<std::uint32_t> cycles(std::uint32_t operations, std::uint32_t repetitions);

  tomograph::cuda::DeviceBuffer buffer_;
};

#endif
