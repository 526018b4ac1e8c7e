#ifndef TOMOGRAPH_TMA_METHODS_HPP
#define TOMOGRAPH_TMA_METHODS_HPP

#include <cstdint>

/// The kinds of copies that experiments and kernels know. The values of enumerators are those of the experiments'
/// parameters.
namespace tomograph::tma {

/// How a tile is copied between global and shared memory: by the TMA as bytes (bulk) or as a box of a tensor, or by
/// threads, 16 B at a time, with cp.async or with plain loads and stores.
enum class Method : std::int64_t { bulk, tensor, cp_async, plain };
enum class Direction : std::int64_t { load, store };

/// Whether the end of such a copy is found by polling a barrier; if not, threads wait for it.
inline constexpr bool needs_polling(Method method, Direction direction) {
  return direction == Direction::load && (method == Method::bulk || method == Method::tensor);
}

/// Bytes of a row of a tensor's box.
inline constexpr std::uint32_t row_bytes = 128;
/// Most rows of a box, a limit of tensor maps.
inline constexpr std::uint32_t most_rows = 256;
/// Bytes of the largest tile.
inline constexpr std::int64_t largest_tile = std::int64_t{128} * 1024;

/// Bytes of the largest tile that one copy can move.
inline constexpr std::int64_t largest_tile_of(Method method) {
  return method == Method::tensor ? std::int64_t{row_bytes} * most_rows : largest_tile;
}

}  // namespace tomograph::tma

#endif
