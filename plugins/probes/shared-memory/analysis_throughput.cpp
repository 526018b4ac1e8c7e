#include "analysis_throughput.hpp"

#include <algorithm>
#include <functional>

namespace tomograph::shared_memory {

using shared_access::Operation;

double bytes_of(const Configuration& configuration) {
  return static_cast<double>(configuration.warps * configuration.ctas * configuration.streams * lanes *
                             configuration.width * (configuration.operation == Operation::copy ? 2 : 1));
}

std::vector<Configuration> copies() {
  std::vector<Configuration> all;
  for (const std::int64_t warps : {1, 2, 4, 8, 16, 32}) {
    for (const std::int64_t ctas : {1, 2, 3, 4, 5, 6}) {
      for (const std::int64_t streams : {1, 2, 4, 6, 8}) all.push_back({Operation::copy, word, warps, ctas, streams});
    }
  }
  return all;
}

std::vector<Configuration> surface() {
  std::vector<Configuration> all = copies();
  for (const std::int64_t width : widths) {
    for (const std::int64_t streams : {1, 2, 4, 8}) {
      for (const std::int64_t warps : {1, 2, 4, 8, 12, 16, 20, 24, 28, 32}) {
        all.push_back({Operation::load, width, warps, 1, streams});
      }
      for (const std::int64_t warps : {20, 24, 28, 32}) all.push_back({Operation::load, width, warps, 2, streams});
    }
  }
  return all;
}

std::vector<Configuration> surface_of_stores() {
  std::vector<Configuration> all;
  for (const std::int64_t width : widths) {
    for (const std::int64_t warps : {4, 8, 16, 32}) {
      for (const std::int64_t ctas : {1, 2}) {
        for (const std::int64_t streams : {1, 2, 4}) all.push_back({Operation::store, width, warps, ctas, streams});
      }
    }
  }
  return all;
}

std::vector<Point> highest(std::vector<Point> points, Operation operation, std::int64_t width, std::size_t count) {
  std::erase_if(points, [&](const Point& point) {
    return point.configuration.operation != operation || point.configuration.width != width;
  });
  std::ranges::stable_sort(points, std::ranges::greater{}, &Point::bytes_per_cycle);
  points.resize(std::min(points.size(), count));
  return points;
}

std::vector<std::pair<std::int64_t, std::int64_t>> warps_at_the_roof(const std::vector<Point>& points, double roof) {
  // The common definition of saturation.
  constexpr double saturated = 0.95;
  std::vector<std::pair<std::int64_t, std::int64_t>> found;
  for (const std::int64_t streams : {1, 2, 4, 8}) {
    std::int64_t fewest = 0;
    for (const auto& [configuration, bytes_per_cycle] : points) {
      const bool counts = configuration.operation == Operation::load && configuration.width == word &&
                          configuration.streams == streams && bytes_per_cycle >= saturated * roof;
      const std::int64_t warps = configuration.warps * configuration.ctas;
      if (counts && (fewest == 0 || warps < fewest)) fewest = warps;
    }
    if (fewest != 0) found.emplace_back(streams, fewest);
  }
  return found;
}

}  // namespace tomograph::shared_memory
