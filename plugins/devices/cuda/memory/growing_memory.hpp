#ifndef TOMOGRAPH_CUDA_MEMORY_GROWING_MEMORY_HPP
#define TOMOGRAPH_CUDA_MEMORY_GROWING_MEMORY_HPP

#include <cstddef>
#include <vector>

#include "cuda/memory/mapping.hpp"
#include "tomograph/cuda/memory.hpp"

namespace tomograph::cuda {

/// Memory of a device that grows where it is: further physical memory is mapped behind it. Where that is not possible
/// it is allocated anew.
class GrowingMemory {
 public:
  explicit GrowingMemory(int device) : mapping_(device) {}
  ~GrowingMemory() { release_all(); }
  GrowingMemory(const GrowingMemory&) = delete;
  GrowingMemory& operator=(const GrowingMemory&) = delete;

  /// Provides at least `bytes`. Returns whether what it held is still there. @throws OutOfMemory; then it may be empty.
  bool reserve(std::size_t bytes);
  void release_all();

  [[nodiscard]] std::byte* data() const;
  [[nodiscard]] std::size_t size() const { return mapping_.obstacle() ? buffer_.size() : mapped_; }

 private:
  /// Physical memory, which is mapped behind the piece before.
  struct Piece {
    Mapping::Physical memory = 0;
    std::size_t bytes = 0;
  };
  void reserve_addresses();
  void append(std::size_t bytes);

  Mapping mapping_;
  DeviceBuffer buffer_;  ///< in place of all others, where memory cannot be mapped
  Mapping::Address start_ = 0;
  std::size_t addresses_ = 0;  ///< bytes of the device's memory: more are never mapped
  std::vector<Piece> pieces_;
  std::size_t mapped_ = 0;
};

}  // namespace tomograph::cuda

#endif
