#ifndef TOMOGRAPH_CUDA_MEMORY_ARENA_HPP
#define TOMOGRAPH_CUDA_MEMORY_ARENA_HPP

#include <cstddef>
#include <cstdint>

#include "cuda/memory/growing_memory.hpp"

namespace tomograph::cuda {

/// Memory that the instruments of a device use in turn. Each finds what the one before has left there.
///
/// It is kept until the end. The driver clears memory that was freed, in the background: on an H200 for 0.4 s
/// after 140 GB, and whatever runs meanwhile has 13 % less bandwidth.
class Arena {
 public:
  /// Allocates nothing yet; later at once `usual` bytes, if they are to be had.
  Arena(int device, std::size_t usual) : usual_(usual), memory_(device) {}
  [[nodiscard]] std::size_t usual() const { return usual_; }

  /// Provides at least `bytes` for `user`. Returns whether they hold what `user` has left there.
  /// @throws OutOfMemory, and then it may be empty.
  bool reserve(std::size_t bytes, const void* user);
  /// Start, a multiple of the alignment of a chase's arrays. It may move when more is reserved.
  [[nodiscard]] std::byte* data() const;
  /// Frees everything if it is more than usual. Returns whether it did.
  bool release_surplus();
  /// Whether it leaves enough for transfers and for executors of plugins.
  [[nodiscard]] bool leaves_room() const { return leaves_room_; }

 private:
  /// Returns whether `bytes` are there that hold what they held.
  bool grow(std::size_t bytes);

  std::size_t usual_;
  bool leaves_room_ = true;
  GrowingMemory memory_;
  const void* user_ = nullptr;
};

}  // namespace tomograph::cuda

#endif
