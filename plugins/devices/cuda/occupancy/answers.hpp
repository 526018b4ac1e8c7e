#ifndef TOMOGRAPH_CUDA_OCCUPANCY_ANSWERS_HPP
#define TOMOGRAPH_CUDA_OCCUPANCY_ANSWERS_HPP

#include <functional>
#include <span>
#include <vector>

#include "cuda/occupancy/runs.hpp"
#include "tomograph/experiment/experiment.hpp"

namespace tomograph::cuda {

/// An experiment as a kernel to run on all SMs.
struct Counted {
  SmRequest request;
  std::int64_t instructions = 0;  ///< that each of its threads executes
};

/// Runs the kernels of a batch, those that `accept` does not refuse by an exception, and answers with what SMs did.
/// Exceptions of `accept` become refusals as in answer_each. @throws DeviceLost, std::runtime_error.
[[nodiscard]] std::vector<Answer> answer_with_runs(SmRunner& runner, std::span<const Experiment> batch,
                                                   const std::function<Counted(const Experiment&)>& accept);

}  // namespace tomograph::cuda

#endif
