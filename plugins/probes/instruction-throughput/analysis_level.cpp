#include "analysis_level.hpp"

#include <algorithm>

namespace tomograph::instruction_throughput {

std::vector<std::int64_t> Level::undecided() const {
  std::vector<std::int64_t> warps = instruction_throughput::ridge(grid, refined).undecided;
  const auto add = [&](std::int64_t one) {
    if (std::ranges::find(warps, one) == warps.end()) warps.push_back(one);
  };
  const analysis::Roofline found = analysis::roofline(grid);
  if (found.completion.relative_ci() > useful_ci / 2) add(found.slowest.warps);
  if (found.issue.relative_ci() > useful_ci / 2) add(found.fastest.warps);
  return warps;
}

analysis::OccupancyPoint* Level::at(std::int64_t warps) {
  for (auto* points : {&grid, &refined}) {
    const auto found = std::ranges::find(*points, warps, &analysis::OccupancyPoint::warps);
    if (found != points->end()) return &*found;
  }
  return nullptr;
}

std::int64_t Level::full() const { return std::ranges::max(grid, {}, &analysis::OccupancyPoint::warps).warps; }

std::vector<std::int64_t> Level::about_the_ridge() const {
  std::vector<std::int64_t> missing;
  const Ridge coarse = instruction_throughput::ridge(grid);
  for (std::int64_t warps = coarse.below + 1; warps < coarse.sure; ++warps) {
    if (std::ranges::find(grid, warps, &analysis::OccupancyPoint::warps) == grid.end()) missing.push_back(warps);
  }
  return missing;
}

void Level::evaluate() {
  roofline = analysis::roofline(grid);
  ridge = instruction_throughput::ridge(grid, refined);
  converged = analysis::levels_out(grid);
}

}  // namespace tomograph::instruction_throughput
