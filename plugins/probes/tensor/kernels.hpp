#ifndef TOMOGRAPH_TENSOR_KERNELS_HPP
#define TOMOGRAPH_TENSOR_KERNELS_HPP

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "forms.hpp"

/// The interface of the kernels. Pointers are device addresses.
namespace tomograph::tensor {

/// What is executed, and where.
struct Products {
  std::size_t form = 0;  ///< index in `forms`
  std::uint32_t warps = 1;
  std::uint32_t ilp = 1;
  std::uint32_t laps = 1;
  std::uint32_t ctas = 1;
  std::uint32_t dynamic_shared = 0;  ///< bytes of a CTA: so many that an SM holds one
  cudaStream_t stream = nullptr;
};

/// The same with the instructions of warpgroups, which only compute capability 9.0 has.
struct WarpgroupProducts {
  std::size_t form = 0;  ///< index in `warpgroup_forms`
  std::uint32_t warpgroups = 1;
  bool one_by_one = false;  ///< a product starts when the one before has ended
  std::uint32_t laps = 1;
  std::uint32_t ctas = 1;
  std::uint32_t dynamic_shared = 0;  ///< holds the factors; so many bytes that an SM holds one CTA
  cudaStream_t stream = nullptr;
};

/// Starts the products; returns the error of the launch, and does not wait for the end. `cycles[cta]` becomes the time
/// from the start of the CTA's first warp to the end of its last one.
cudaError_t multiply(const Products& products, std::uint64_t* cycles);
cudaError_t multiply(const WarpgroupProducts& products, std::uint64_t* cycles);

}  // namespace tomograph::tensor

#endif
