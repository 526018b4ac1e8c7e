#ifndef TOMOGRAPH_CUDA_CHASE_OVERHEAD_HPP
#define TOMOGRAPH_CUDA_CHASE_OVERHEAD_HPP

#include <map>

#include "cuda/chase/executor.hpp"
#include "tomograph/experiment/chase.hpp"

namespace tomograph::cuda {

/// What timing adds to what it times on a load path, in cycles.
struct PathOverhead {
  double each = 0;   ///< to a single load
  double total = 0;  ///< to a whole phase
};

struct Overhead {
  /// That of the load paths of the program's first phases that time each load and that are timed in total.
  [[nodiscard]] PathOverhead of(const chase::Program& program) const;

  std::map<chase::Path, PathOverhead> paths;
};

/// A phase of n loads that hit takes overhead + n x share: the line through a short and a long phase gives both. (The
/// share contains a branch every 32 loads, which was seen to cost up to one cycle a load.) The overhead of a single
/// load is what it takes beyond that share. It differs between load paths: the comparison that holds back the second
/// clock waits for the loaded value as long as another load would, or longer. (An empty interval would not do: a load
/// that takes long hides part of the clock reads.)
/// @throws DeviceLost, OutOfMemory, std::runtime_error.
[[nodiscard]] Overhead measure_overhead(Executor& executor);

}  // namespace tomograph::cuda

#endif
