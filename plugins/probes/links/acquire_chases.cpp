#include "acquire_chases.hpp"

#include <algorithm>
#include <iterator>

namespace tomograph::links {

namespace {

/// All rings are followed in turn, so that a disturbance meets all alike. Of at least three points of a plateau, 48
/// runs enclose the quantile of the fastest tenth with probability 0.993.
constexpr std::int64_t rounds = 4;
constexpr std::int64_t runs = 4;
/// Runs of 256 accesses of 1 us together last a millisecond, which the device's clock times to a thousandth.
constexpr std::int64_t nodes = 256;
/// The ring spans 128 KiB to 4 MiB.
constexpr std::int64_t first_stride = 512;
constexpr std::int64_t last_stride = 16384;

}  // namespace

Chases measure_chases(const Session& session, transfer::Place place, remote_chase::Operation operation) {
  std::vector<remote_chase::Program> programs;
  Chases chases;
  for (std::int64_t round = 0; round < rounds; ++round) {
    for (std::int64_t stride = first_stride; stride <= last_stride; stride *= 2) {
      programs.push_back({.place = place,
                          .operation = operation,
                          .nodes = nodes,
                          .stride = stride,
                          .steps = nodes,
                          .runs = runs,
                          .trial = round});
      if (round == 0) chases.points.push_back({static_cast<double>(nodes * stride)});
    }
  }
  const auto results = session.ask_each(std::span<const remote_chase::Program>(programs));
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (!results[i]) return {};
    auto& seconds = chases.points[i % chases.points.size()].seconds;
    std::ranges::copy(results[i]->seconds(programs[i]), std::back_inserter(seconds));
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
