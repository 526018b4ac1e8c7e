#ifndef TOMOGRAPH_TMA_ANALYSIS_TILES_HPP
#define TOMOGRAPH_TMA_ANALYSIS_TILES_HPP

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

/// Curves over the size of a tile. Tiles ascend.
namespace tomograph::tma {

/// A value measured with tiles of one size.
struct ByTile {
  std::int64_t tile = 0;
  double value = 0;
};

/// The smallest tile from which on `values` are nowhere lower than any of `others` by more than `tolerance`, a share.
/// All curves have the same tiles. Nothing if that does not hold for the largest tile.
[[nodiscard]] std::optional<std::int64_t> winning_from(std::span<const ByTile> values,
                                                       std::span<const std::vector<ByTile>> others, double tolerance);

/// The smallest tile that reaches `share` of the highest value.
[[nodiscard]] std::int64_t saturating_tile(std::span<const ByTile> values, double share);

/// The tile with which `values` reach `level`, interpolated between the last tile below it and the next one: as long as
/// too few bytes are in flight, bandwidth is proportional to them (Little 1961). Nothing if the smallest tile reaches
/// `level`, or if none does.
[[nodiscard]] std::optional<double> reaching_tile(std::span<const ByTile> values, double level);

}  // namespace tomograph::tma

#endif
