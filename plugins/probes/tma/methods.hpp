#ifndef TOMOGRAPH_TMA_METHODS_HPP
#define TOMOGRAPH_TMA_METHODS_HPP

#include <cstdint>

/// The kinds of copies, as experiments and kernels know them. Values are those of the experiments' parameters.
namespace tomograph::tma {

/// How bytes come from global to shared memory, or go back: copied by the TMA as bytes or as a box of a tensor, or by
/// threads, 16 B each, with cp.async or with loads and stores.
enum class Method : std::int64_t { bulk, tensor, cp_async, plain };
enum class Direction : std::int64_t { load, store };

/// Whether only looks at a barrier tell when such a copy is done; else threads wait for its end.
inline constexpr bool needs_looks(Method method, Direction direction) {
  return direction == Direction::load && (method == Method::bulk || method == Method::tensor);
}

/// Bytes of a row of a tensor's box, and the most rows that one can have.
inline constexpr std::uint32_t row_bytes = 128;
inline constexpr std::uint32_t most_rows = 256;

}  // namespace tomograph::tma

#endif
