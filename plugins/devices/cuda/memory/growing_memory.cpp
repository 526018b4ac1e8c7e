#include "cuda/memory/growing_memory.hpp"

#include <utility>

namespace tomograph::cuda {

bool GrowingMemory::reserve(std::size_t bytes) {
  if (bytes <= size()) return true;
  if (mapping_.obstacle()) {
    buffer_.reserve(bytes);
    return false;
  }
  const bool held = mapped_ > 0;
  reserve_addresses();
  append(mapping_.rounded_up(bytes) - mapped_);
  return held;
}

void GrowingMemory::reserve_addresses() {
  if (addresses_ > 0) return;
  std::size_t free = 0;
  std::size_t total = 0;
  check(cudaMemGetInfo(&free, &total), "reading the size of the memory");
  const std::size_t bytes = mapping_.rounded_up(total);
  start_ = mapping_.reserve(bytes);
  addresses_ = bytes;
}

void GrowingMemory::append(std::size_t bytes) {
  if (mapped_ + bytes > addresses_) throw OutOfMemory("the device has less memory");
  const Mapping::Physical memory = mapping_.allocate(bytes);
  try {
    pieces_.reserve(pieces_.size() + 1);
    mapping_.map(start_ + mapped_, bytes, memory);
  } catch (...) {
    mapping_.release(memory);
    throw;
  }
  pieces_.push_back({memory, bytes});
  mapped_ += bytes;
}

void GrowingMemory::release_all() {
  buffer_.release_all();
  for (; !pieces_.empty(); pieces_.pop_back()) {
    mapped_ -= pieces_.back().bytes;
    mapping_.unmap(start_ + mapped_, pieces_.back().bytes);
    mapping_.release(pieces_.back().memory);
  }
  if (addresses_ > 0) mapping_.free(start_, std::exchange(addresses_, 0));
}

std::byte* GrowingMemory::data() const {
  if (mapping_.obstacle()) return buffer_.data();
  return reinterpret_cast<std::byte*>(start_);  // NOLINT(performance-no-int-to-ptr): the driver's addresses are numbers
}

}  // namespace tomograph::cuda
