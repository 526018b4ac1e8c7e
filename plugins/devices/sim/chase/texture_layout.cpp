#include "sim/chase/texture_layout.hpp"

#include <algorithm>

namespace tomograph::sim {

namespace {

constexpr auto texel_bytes = static_cast<std::uint64_t>(chase::node_bytes);

std::uint64_t blocks(std::uint64_t texels, int bits) { return (texels + (std::uint64_t{1} << bits) - 1) >> bits; }

}  // namespace

TextureLayout::TextureLayout(const TextureMemory& memory)
    : order_(memory.texel_order),
      x_bits_(static_cast<int>(std::ranges::count(order_, 'x'))),
      y_bits_(static_cast<int>(std::ranges::count(order_, 'y'))) {}

std::uint64_t TextureLayout::blocks_per_row(const chase::Array& array) const {
  return blocks(static_cast<std::uint64_t>(array.width) / texel_bytes, x_bits_);
}

std::uint64_t TextureLayout::bytes(const chase::Array& array) const {
  const auto height = static_cast<std::uint64_t>(array.bytes / array.width);
  return (blocks_per_row(array) * blocks(height, y_bits_) * texel_bytes) << order_.size();
}

std::uint64_t TextureLayout::place(const chase::Array& array, std::uint64_t offset) const {
  const auto width = static_cast<std::uint64_t>(array.width);
  std::uint64_t x = offset % width / texel_bytes;
  std::uint64_t y = offset / width;
  const std::uint64_t block = (y >> y_bits_) * blocks_per_row(array) + (x >> x_bits_);
  std::uint64_t texel = 0;
  for (std::size_t bit = 0; bit < order_.size(); ++bit) {
    std::uint64_t& coordinate = order_[bit] == 'x' ? x : y;
    texel |= (coordinate & 1) << bit;
    coordinate >>= 1;
  }
  return ((block << order_.size()) + texel) * texel_bytes;
}

}  // namespace tomograph::sim
