#ifndef TOMOGRAPH_CUDA_OCCUPANCY_ANSWERS_HPP
#define TOMOGRAPH_CUDA_OCCUPANCY_ANSWERS_HPP

#include <functional>
#include <span>
#include <vector>

#include "cuda/occupancy/runs.hpp"
#include "tomograph/experiment.hpp"

namespace tomograph::cuda {

/// A kernel to run on all SMs, whose instructions were counted.
struct CountedKernel {
  SmRequest request;
  std::int64_t instructions = 0;  ///< that each of its threads executes
};

/// Turns each experiment of a batch into a kernel with `accept`, runs the kernels and answers with the runs of the SMs.
/// An exception of `accept` refuses the experiment, as in answer_each. @throws DeviceLost, std::runtime_error.
[[nodiscard]] std::vector<Answer> answer_with_runs(SmRunner& runner, std::span<const Experiment> batch,
                                                   const std::function<CountedKernel(const Experiment&)>& accept);

}  // namespace tomograph::cuda

#endif
