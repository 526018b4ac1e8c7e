#include "cuda/arena.hpp"

#include <algorithm>
#include <utility>

#include "tomograph/chase.hpp"

namespace tomograph::cuda {

namespace {

constexpr auto array_alignment = static_cast<std::size_t>(chase::array_alignment);

}  // namespace

bool Arena::reserve(std::size_t bytes, const void* user) {
  const bool is_same = std::exchange(user_, user) == user;
  const std::size_t wanted = bytes + array_alignment;
  if (wanted <= buffer_.size()) return is_same;
  try {
    buffer_.reserve(std::max(wanted, usual_ + array_alignment));
  } catch (const OutOfMemory&) {
    buffer_.reserve(wanted);
  }
  return false;
}

std::byte* Arena::data() const {
  const auto start = reinterpret_cast<std::uintptr_t>(buffer_.data());
  return buffer_.data() + ((array_alignment - start % array_alignment) % array_alignment);
}

bool Arena::release_surplus() {
  if (buffer_.size() <= usual_ + array_alignment) return false;
  buffer_.release_all();
  return true;
}

}  // namespace tomograph::cuda
