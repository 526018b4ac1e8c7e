#ifndef TOMOGRAPH_ATOMICS_EXECUTORS_HPP
#define TOMOGRAPH_ATOMICS_EXECUTORS_HPP

#include "experiments.hpp"
#include "tomograph/cuda/executor.hpp"

/// What answers the experiments of this plugin on a GPU.
namespace tomograph::atomics {

Arrays answer_latency(cuda::Gpu& gpu, const Experiment& experiment);
Arrays answer_throughput(cuda::Gpu& gpu, const Experiment& experiment);

inline constexpr cuda::Task<cuda::Gpu> latency_task{latency_id, "Executes dependent atomics on all SMs",
                                                    &answer_latency};
inline constexpr cuda::Task<cuda::Gpu> throughput_task{
    throughput_id, "Executes independent atomics or reductions on one SM or on all", &answer_throughput};

}  // namespace tomograph::atomics

#endif
