#ifndef TOMOGRAPH_CUDA_MAKE_ROOM_HPP
#define TOMOGRAPH_CUDA_MAKE_ROOM_HPP

#include <functional>

#include "tomograph/cuda/error.hpp"

namespace tomograph::cuda {

/// Allocates; where memory is short, once more after `make_room`. @throws OutOfMemory.
template <typename Allocate>
void with_room(const std::function<void()>& make_room, Allocate allocate) {
  try {
    allocate();
  } catch (const OutOfMemory&) {
    if (!make_room) throw;
    make_room();
    allocate();
  }
}

}  // namespace tomograph::cuda

#endif
