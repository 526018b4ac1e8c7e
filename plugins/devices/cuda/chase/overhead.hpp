#ifndef TOMOGRAPH_CUDA_CHASE_OVERHEAD_HPP
#define TOMOGRAPH_CUDA_CHASE_OVERHEAD_HPP

#include <map>

#include "cuda/chase/executor.hpp"
#include "tomograph/chase.hpp"

namespace tomograph::cuda {

/// What timing adds to what it times, in cycles.
struct Overhead {
  std::map<chase::Path, double> each;  ///< to a single load, by load path
  double total = 0;                    ///< to a whole phase
};

/// Chains of dependent arithmetic instructions of growing length are timed exactly as loads are. The time of a chain is
/// overhead + length x latency; a straight line through the medians gives the overhead as its intercept, whatever the
/// latency. (An empty interval would not do: an instruction that takes long hides part of the clock reads.) That is the
/// overhead of a phase, and of a single load on the global paths. On the others the comparison has to wait for the
/// loaded value longer than another load would; there it is what a hit takes by itself beyond its share in a long phase
/// of hits. (That share contains a branch every 32 loads, which was seen to cost up to one cycle a load.)
/// @throws DeviceLost, OutOfMemory, std::runtime_error.
[[nodiscard]] Overhead measure_overhead(Executor& executor);

/// The overhead of the single loads of `program`: of its first phase that times them, or else of its first actor.
[[nodiscard]] double overhead_each(const Overhead& overhead, const chase::Program& program);

}  // namespace tomograph::cuda

#endif
