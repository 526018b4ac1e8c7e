#ifndef TOMOGRAPH_L2_PERSISTENCE_KERNELS_HPP
#define TOMOGRAPH_L2_PERSISTENCE_KERNELS_HPP

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

/// The interface of the kernels. Each launch returns its error and does not wait for the end. Pointers are device
/// addresses.
namespace tomograph::l2_persistence {

/// Bytes that stand for a line: every L2 line of NVIDIA's GPUs has at least as many.
inline constexpr std::size_t line_bytes = 128;

/// Loads `bytes` into L2 on all SMs, each byte once. `unused` is never written.
cudaError_t load_all(const std::byte* memory, std::size_t bytes, std::uint32_t ctas, std::uint32_t* unused,
                     cudaStream_t stream);

/// Lines of a region, of which sample i is line (`first` + i * `step`) % `lines`.
struct Samples {
  const std::byte* memory = nullptr;
  std::size_t lines = 0;
  std::size_t first = 0;
  std::size_t step = 0;
  std::uint32_t count = 0;
};

/// One thread loads the first word of each sample, one after the other. `cycles[i]` becomes the time of load i.
cudaError_t time_loads(const Samples& samples, std::uint32_t* cycles, cudaStream_t stream);

}  // namespace tomograph::l2_persistence

#endif
