#ifndef TOMOGRAPH_STORES_KERNELS_HPP
#define TOMOGRAPH_STORES_KERNELS_HPP

#include <cuda_runtime_api.h>

#include <cstdint>

/// The interface of the kernel. Pointers are device addresses.
namespace tomograph::stores {

/// What is accessed, and how.
struct Accesses {
  std::uint32_t* words = nullptr;
  std::uint32_t lines = 1;
  std::uint32_t stride = 32;    ///< in words
  bool loads_first = false;     ///< before the store, if any
  bool stores = false;          ///< before the timed load
  std::uint32_t stored_at = 0;  ///< word of the line
  cudaStream_t stream = nullptr;
};

/// Starts the accesses of one thread; returns the error of the launch, and does not wait for the end. `cycles[line]`
/// becomes the time of the timed load.
cudaError_t access(const Accesses& accesses, std::int64_t* cycles);

}  // namespace tomograph::stores

#endif
