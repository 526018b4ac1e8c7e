#include "analysis_tiles.hpp"

#include <algorithm>

namespace tomograph::tma {

std::optional<std::int64_t> winning_from(std::span<const ByTile> values, std::span<const std::vector<ByTile>> others,
                                         double tolerance) {
  std::optional<std::int64_t> from;
  for (std::size_t i = values.size(); i-- > 0;) {
    for (const auto& other : others) {
      if (values[i].value < other[i].value * (1 - tolerance)) return from;
    }
    from = values[i].tile;
  }
  return from;
}

std::int64_t saturating_tile(std::span<const ByTile> values, double share) {
  const double most = std::ranges::max(values, {}, &ByTile::value).value;
  return std::ranges::find_if(values, [&](const ByTile& one) { return one.value >= share * most; })->tile;
}

std::optional<double> reaching_tile(std::span<const ByTile> values, double level) {
  const auto above = std::ranges::find_if(values, [&](const ByTile& one) { return one.value >= level; });
  if (above == values.begin() || above == values.end()) return std::nullopt;
  const ByTile& below = *(above - 1);
  const double share = (level - below.value) / (above->value - below.value);
  return static_cast<double>(below.tile) + share * static_cast<double>(above->tile - below.tile);
}

}  // namespace tomograph::tma
