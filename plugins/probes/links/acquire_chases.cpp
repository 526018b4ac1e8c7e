#include "acquire_chases.hpp"

#include <algorithm>

namespace tomograph::links {

namespace {

/// Of at least three points of a plateau, so that 33 enclose the quantile of the fastest quarter with probability
/// 0.999.
constexpr std::int64_t runs = 11;
/// A millisecond of accesses of 1 us, which the device's clock times to a thousandth.
constexpr std::int64_t nodes = 1024;
/// From a line to a page of the smallest kind, so that the ring spans 128 KiB to 4 MiB.
constexpr std::int64_t first_stride = 128;
constexpr std::int64_t last_stride = 4096;

}  // namespace

Chases measure_chases(const Session& session, transfer::Place place, remote_chase::Operation operation) {
  std::vector<remote_chase::Program> programs;
  for (std::int64_t stride = first_stride; stride <= last_stride; stride *= 2) {
    programs.push_back(
        {.place = place, .operation = operation, .nodes = nodes, .stride = stride, .steps = nodes, .runs = runs});
  }
  const auto results = session.ask_each(std::span<const remote_chase::Program>(programs));
  Chases chases;
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (!results[i]) return {};
    chases.points.push_back({static_cast<double>(nodes * programs[i].stride), results[i]->seconds(programs[i])});
    chases.clock_hz = results[i]->clock_hz;
  }
  return chases;
}

std::vector<NamedArray> columns(const std::vector<std::pair<transfer::Place, Chases>>& all) {
  std::vector<double> places;
  std::vector<double> bytes;
  std::vector<double> seconds;
  for (const auto& [place, chases] : all) {
    for (const ChasePoint& point : chases.points) {
      for (const double time : point.seconds) {
        places.push_back(static_cast<double>(place));
        bytes.push_back(point.bytes);
        seconds.push_back(time);
      }
    }
  }
  return {{"place", places}, {"bytes", bytes}, {"seconds", seconds}};
}

}  // namespace tomograph::links
