#ifndef TOMOGRAPH_SIM_CHASE_TEXTURE_LAYOUT_HPP
#define TOMOGRAPH_SIM_CHASE_TEXTURE_LAYOUT_HPP

#include <cstdint>
#include <string>

#include "sim/gpu/memory.hpp"
#include "tomograph/chase.hpp"

namespace tomograph::sim {

/// The layout of two-dimensional arrays in memory.
class TextureLayout {
 public:
  explicit TextureLayout(const TextureMemory& memory);

  /// Bytes of `array`, rounded up to whole blocks.
  [[nodiscard]] std::uint64_t bytes(const chase::Array& array) const;
  /// Byte offset of the texel that `offset` stands for: (offset % width / 8, offset / width).
  [[nodiscard]] std::uint64_t place(const chase::Array& array, std::uint64_t offset) const;

 private:
  [[nodiscard]] std::uint64_t blocks_per_row(const chase::Array& array) const;

  std::string order_;
  int x_bits_;
  int y_bits_;
};

}  // namespace tomograph::sim

#endif
