#ifndef TOMOGRAPH_CUDA_NEIGHBOURS_PROCESSES_HPP
#define TOMOGRAPH_CUDA_NEIGHBOURS_PROCESSES_HPP

#include <cstdint>
#include <optional>

namespace tomograph::cuda {

/// Number of processes with a context on the GPU, as NVML tells, or nothing where it does not. In a container it may
/// tell of none.
[[nodiscard]] std::optional<std::int64_t> processes_on(int device);

}  // namespace tomograph::cuda

#endif
