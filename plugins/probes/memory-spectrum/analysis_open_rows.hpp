#ifndef TOMOGRAPH_MEMORY_SPECTRUM_ANALYSIS_OPEN_ROWS_HPP
#define TOMOGRAPH_MEMORY_SPECTRUM_ANALYSIS_OPEN_ROWS_HPP

#include <bitset>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>

/// Where memory keeps rows open, a load near an earlier one may find its row so, and takes less time than one anywhere
/// in memory. Pure functions.
namespace tomograph::memory_spectrum {

/// The sizes of blocks, in bytes, that may lie in a row or hold several of one: powers of two.
inline constexpr std::int64_t smallest_block = 512;
inline constexpr std::int64_t largest_block = 65536;

/// Blocks of all sizes that loads have seen.
class SeenBlocks {
 public:
  /// The size of the smallest block that holds this address and an earlier one; twice `largest_block` if none does.
  std::int64_t add(std::int64_t address);

 private:
  using Smallest = std::bitset<largest_block / smallest_block>;

  std::unordered_map<std::int64_t, Smallest> seen_;  ///< the smallest blocks in each of the largest ones
};

/// The size of the blocks whose later loads take less time than first ones, if chance explains no difference: of those
/// sizes the one with the most certain difference. `blocks` are those of the loads (see above), of equal number.
[[nodiscard]] std::optional<std::int64_t> block_of_open_rows(std::span<const double> cycles,
                                                             std::span<const std::int64_t> blocks);

}  // namespace tomograph::memory_spectrum

#endif
