#ifndef TOMOGRAPH_CUDA_CHASE_OVERHEAD_HPP
#define TOMOGRAPH_CUDA_CHASE_OVERHEAD_HPP

#include <map>

#include "cuda/chase/executor.hpp"
#include "tomograph/chase.hpp"

namespace tomograph::cuda {

/// Cycles that timing adds on a load path.
struct PathOverhead {
  double each = 0;   ///< to a single load
  double total = 0;  ///< to a whole phase
};

struct Overhead {
  /// The overhead of `program`: of the load path of its first phase that times each load, and of the first that is
  /// timed in total.
  [[nodiscard]] PathOverhead of(const chase::Program& program) const;

  std::map<chase::Path, PathOverhead> paths;
};

/// Measures the overhead of each load path with loads that hit. A phase of n loads takes overhead + n x share cycles; a
/// short and a long phase give both. (The share contains a branch every 32 loads, up to one cycle a load on an H200.)
/// The overhead of a single load is its latency less the share. It differs between load paths, because the comparison
/// that holds back the second clock read waits for the loaded value at least as long as another load would. An empty
/// interval would overestimate it, because a long load hides part of the clock reads.
/// @throws DeviceLost, OutOfMemory, std::runtime_error.
[[nodiscard]] Overhead measure_overhead(Executor& executor);

}  // namespace tomograph::cuda

#endif
