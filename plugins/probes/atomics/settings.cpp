#include "settings.hpp"

#include <algorithm>
#include <utility>

namespace tomograph::atomics {

namespace {

/// Bytes of a sector of every GPU since compute capability 5.0.
constexpr std::int64_t sector_bytes = 32;

class Settings {
 public:
  Settings(Space space, std::size_t operation, bool returns)
      : base_{.space = space, .operation = operation, .returns = returns} {}

  /// By occupancy, so that the highest rate shows. All warps of an SM together do `laps` laps.
  void add_warps(Place place, bool alone, std::int64_t least, std::int64_t laps) {
    for (std::int64_t warps = least; warps <= most_warps; warps *= 2) {
      add({.place = place, .warps = warps, .alone = alone, .laps = laps / warps});
    }
  }

  /// By lanes on the same word. The more there are, the longer a lap takes, at least in proportion if they conflict.
  void add_conflicts(bool alone) {
    for (std::int64_t lanes = 2; lanes <= warp_lanes; lanes *= 2) {
      add({.lanes_per_word = lanes, .warps = most_warps, .alone = alone, .laps = std::max<std::int64_t>(8 / lanes, 1)});
    }
  }

  /// All SMs on one word, on one sector and on one line. One warp of each suffices, with all its atomics in flight, and
  /// more would take long: 132 SMs execute 270,000 operations in four laps, perhaps one per cycle.
  void add_hot() {
    const std::int64_t width = operations[base_.operation].bytes();
    for (const std::int64_t bytes : {width, sector_bytes, line_bytes}) {
      add({.place = Place::one_line, .lanes_per_word = width * warp_lanes / bytes, .warps = 1, .laps = 1});
    }
  }

  [[nodiscard]] std::vector<ThroughputRequest> take() { return std::move(all_); }

 private:
  void add(ThroughputRequest setting) {
    setting.space = base_.space;
    setting.operation = base_.operation;
    setting.returns = base_.returns;
    all_.push_back(setting);
  }

  ThroughputRequest base_;
  std::vector<ThroughputRequest> all_;
};

std::vector<ThroughputRequest> settings_of(Space space, std::size_t operation, bool returns) {
  Settings settings(space, operation, returns);
  const bool alone = space == Space::global;
  // Which slices of L2 get more of the atomics than others changes from launch to launch: rates of 32 laps differ by a
  // tenth, and more than these laps do not make a launch more precise.
  settings.add_warps(Place::own, alone, 8, 256);
  if (space == Space::shared) {
    if (returns) settings.add_conflicts(alone);
    return settings.take();
  }
  settings.add_conflicts(alone);
  if (returns) settings.add_warps(Place::own_lines, alone, 16, 256);
  settings.add_warps(Place::own, false, 16, 512);
  settings.add_hot();
  return settings.take();
}

}  // namespace

std::vector<ThroughputRequest> settings_of(Space space, std::size_t operation) {
  auto all = settings_of(space, operation, true);
  if (!operations[operation].has_reduction) return all;
  const auto reductions = settings_of(space, operation, false);
  all.insert(all.end(), reductions.begin(), reductions.end());
  return all;
}

}  // namespace tomograph::atomics
