#include "cuda/memory/arena.hpp"

#include <algorithm>
#include <utility>

#include "tomograph/chase.hpp"
#include "tomograph/cuda/memory.hpp"

namespace tomograph::cuda {

namespace {

constexpr auto array_alignment = static_cast<std::size_t>(chase::array_alignment);

}  // namespace

bool Arena::reserve(std::size_t bytes, const void* user) {
  const bool is_same = std::exchange(user_, nullptr) == user;  // nobody's, if there is not enough
  const bool holds = grow(bytes + array_alignment);
  user_ = user;
  return is_same && holds;
}

bool Arena::grow(std::size_t bytes) {
  if (bytes <= memory_.size()) return true;
  bool holds = false;
  try {
    holds = memory_.reserve(std::max(bytes, usual_ + array_alignment));
  } catch (const OutOfMemory&) {
    holds = memory_.reserve(bytes);
  }
  leaves_room_ = !is_memory_scarce();
  return holds;
}

std::byte* Arena::data() const {
  const auto start = reinterpret_cast<std::uintptr_t>(memory_.data());
  return memory_.data() + ((array_alignment - start % array_alignment) % array_alignment);
}

bool Arena::release_surplus() {
  if (memory_.size() <= usual_ + array_alignment) return false;
  memory_.release_all();
  return true;
}

}  // namespace tomograph::cuda
