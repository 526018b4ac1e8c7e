#ifndef TOMOGRAPH_WORKLOADS_ARENA_HPP
#define TOMOGRAPH_WORKLOADS_ARENA_HPP

#include <cstddef>
#include <cstdint>

/// Marks the bodies of workloads, which are compiled for the host (C++20) and, by nvcc, for the device (C++17).
#ifdef __CUDACC__
#define TOMOGRAPH_BODY __device__
#else
#define TOMOGRAPH_BODY
#endif

namespace tomograph::workloads {

/// An array in the memory of a workload: it starts `offset` bytes behind the beginning.
template <typename T>
struct Array {
  std::uint64_t offset = 0;
  std::uint32_t count = 0;

  /// The elements in a copy of the memory that begins at `memory`.
  [[nodiscard]] T* in(std::byte* memory) const { return reinterpret_cast<T*>(memory + offset); }
  [[nodiscard]] const T* in(const std::byte* memory) const { return reinterpret_cast<const T*>(memory + offset); }
};

/// Places arrays one behind the other, each at a multiple of 256 bytes.
class Layout {
 public:
  template <typename T>
  [[nodiscard]] Array<T> add(std::uint32_t count) {
    constexpr std::uint64_t alignment = 256;
    const Array<T> array{bytes_, count};
    bytes_ = (bytes_ + std::uint64_t{count} * sizeof(T) + alignment - 1) / alignment * alignment;
    return array;
  }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
  std::uint64_t bytes_ = 0;
};

/// Pseudorandom numbers that are the same everywhere: the finalizer of MurmurHash3 (Appleby 2011).
constexpr std::uint32_t scrambled(std::uint32_t x) {
  x = (x ^ x >> 16) * 0x85ebca6bU;
  x = (x ^ x >> 13) * 0xc2b2ae35U;
  return x ^ x >> 16;
}

/// A number from 0 to `end` - 1.
constexpr std::int32_t random_below(std::uint32_t seed, std::int32_t end) {
  return static_cast<std::int32_t>(scrambled(seed) % static_cast<std::uint32_t>(end));
}

/// A number from 0 to 1.
constexpr float random_share(std::uint32_t seed) {
  return static_cast<float>(scrambled(seed) >> 8) / static_cast<float>(1U << 24U);
}

/// Whether a result is what the reference computed, but for the order and the rounding of operations.
inline bool is_close(float result, float reference) {
  constexpr float tolerance = 1e-3F;
  const float difference = result > reference ? result - reference : reference - result;
  const float size = reference < 0 ? -reference : reference;
  return difference <= tolerance * (size + 1);
}

/// Threads of a CTA of every workload.
inline constexpr std::int32_t cta_threads = 256;

}  // namespace tomograph::workloads

#endif
