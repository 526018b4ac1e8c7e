#ifndef TOMOGRAPH_TENSOR_EXECUTORS_HPP
#define TOMOGRAPH_TENSOR_EXECUTORS_HPP

#include "experiments.hpp"
#include "tomograph/cuda/executor.hpp"

/// What answers the experiment of this plugin on a GPU.
namespace tomograph::tensor {

Arrays answer_products(cuda::Gpu& gpu, const Experiment& experiment);
/// @throws Refused on GPUs of another compute capability than 9.x.
Arrays answer_warpgroup_products(cuda::Gpu& gpu, const Experiment& experiment);

inline constexpr cuda::Task<cuda::Gpu> products_task{products_id, "Multiplies matrices in registers on all SMs",
                                                     &answer_products};
inline constexpr cuda::Task<cuda::Gpu> warpgroup_task{
    warpgroup_id, "Multiplies matrices in shared memory on all SMs, by warpgroups", &answer_warpgroup_products};

}  // namespace tomograph::tensor

#endif
