#include "sim/gpu/nearest.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace tomograph::sim {

namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> above(b.size() + 1);
  std::iota(above.begin(), above.end(), std::size_t{0});
  std::vector<std::size_t> row = above;
  for (std::size_t i = 0; i < a.size(); ++i) {
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      row[j + 1] = std::min({above[j + 1] + 1, row[j] + 1, above[j] + (a[i] == b[j] ? 0U : 1U)});
    }
    std::swap(above, row);
  }
  return above.back();
}

}  // namespace

std::string suggestion(std::string_view name, std::span<const std::string> known) {
  const auto distance = [&](const std::string& candidate) { return edit_distance(name, candidate); };
  const auto nearest = std::ranges::min_element(known, {}, distance);
  if (nearest == known.end() || distance(*nearest) > std::max<std::size_t>(name.size() / 3, 1)) return {};
  return "; did you mean '" + *nearest + "'?";
}

}  // namespace tomograph::sim
