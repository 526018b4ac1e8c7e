#ifndef EXECUTOR_HPP
#define EXECUTOR_HPP

#include <span>
#include <string_view>
#include <vector>

#include "tomograph/cuda/executor.hpp"

/// Executes the experiment of this plugin on a GPU. Parameters: "operations" and "repetitions" (I64). Answer: "cycles"
/// (U32), the time of all operations, for each repetition.
class Atomics {
 public:
  static constexpr const char* experiment = "@PLUGIN@.atomics/1";
  static constexpr const char* device = "cuda";
  static constexpr const char* description = "Times dependent atomic adds on shared memory";

  Atomics(const tomograph::Session& /*session*/, std::string_view target) : gpu_(target) {}
  [[nodiscard]] std::vector<tomograph::Answer> execute(std::span<const tomograph::Experiment> batch);

 private:
  [[nodiscard]] std::vector<std::uint32_t> cycles(std::uint32_t operations, std::uint32_t repetitions);

  tomograph::cuda::Gpu gpu_;
};

#endif
