#ifndef TOMOGRAPH_STORES_KERNELS_HPP
#define TOMOGRAPH_STORES_KERNELS_HPP

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "orders.hpp"

/// The interface of the kernels. Pointers are device addresses.
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

inline constexpr std::uint32_t line_bytes = 128;
/// All SMs together write 4 MiB, which L2 holds.
inline constexpr std::uint32_t lines_of_warp = 8;
inline constexpr std::uint32_t warps_of_cta = 32;  // as many as a CTA may have
inline constexpr std::uint32_t cta_bytes = warps_of_cta * lines_of_warp * line_bytes;
/// Sectors, or parts of them, that one store of a warp writes.
inline constexpr std::uint32_t writes_of_store = 4;

/// When a CTA ran.
struct CtaTime {
  std::uint64_t begin_ns;
  std::uint64_t end_ns;
};

/// Starts `ctas` CTAs, one for each SM, that write `laps` laps in the order of a request to `cta_bytes` of memory each.
/// Returns the error of the launch, and does not wait for the end.
cudaError_t write(Order order, std::byte* memory, std::uint32_t ctas, std::uint32_t dynamic_shared, std::uint32_t laps,
                  CtaTime* times, cudaStream_t stream);

/// Stores of a warp in a lap.
[[nodiscard]] constexpr std::uint32_t stores_of_lap(Order order) {
  return order == Order::sectors ? lines_of_warp : lines_of_warp * 8;
}

/// `per_sm` becomes the number of CTAs of a sweep that an SM holds.
cudaError_t resident_sweeps(std::uint32_t* per_sm);

/// Starts `ctas` CTAs that load `bytes` of memory, or store zeros to them, each byte once. Bytes beyond a multiple of
/// 16 are left out. Returns the error of the launch, and does not wait for the end.
cudaError_t sweep(bool stores, std::byte* memory, std::size_t bytes, std::uint32_t ctas, CtaTime* times,
                  cudaStream_t stream);

}  // namespace tomograph::stores

#endif
