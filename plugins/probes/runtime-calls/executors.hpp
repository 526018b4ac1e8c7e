#ifndef TOMOGRAPH_RUNTIME_CALLS_EXECUTORS_HPP
#define TOMOGRAPH_RUNTIME_CALLS_EXECUTORS_HPP

#include "moves.hpp"
#include "starts.hpp"

/// What answers the experiments of this plugin on a GPU.
namespace tomograph::runtime_calls {

inline constexpr cuda::Task<StartingGpu> starts_task{starts_id, "Times the starts of kernels and graphs",
                                                     &answer_starts};
inline constexpr cuda::Task<MovingGpu> moves_task{moves_id, "Times the runtime's copies and sets of memory",
                                                  &answer_moves};

}  // namespace tomograph::runtime_calls

#endif
