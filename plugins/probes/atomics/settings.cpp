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
  /// more would take long: 132 SMs execute 270,000 operations in four laps, perhaps one per cycle. On a line they
  /// execute ten times as many. A lap then scatters by 2 %, which four laps average.
  void add_hot() {
    const std::int64_t width = operations[base_.operation].bytes();
    for (const std::int64_t bytes : {width, sector_bytes, line_bytes}) {
      const std::int64_t laps = bytes == line_bytes ? 4 : 1;
      add({.place = Place::one_line, .lanes_per_word = width * warp_lanes / bytes, .warps = 1, .laps = laps});
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
  // tenth, and more than these laps do not make a launch more precise. With 8 warps, launches on an H100 that await
  // results reach 6 or 8 per cycle, by chance, where reductions reach 6.4.
  settings.add_warps(Place::own, alone, alone ? 16 : 8, 256);
  if (space == Space::shared) {
    if (returns) settings.add_conflicts(alone);
    return settings.take();
  }
  settings.add_conflicts(alone);
  // Here launches differ, and laps of a launch hardly: more launches tell more than longer ones.
  if (returns) settings.add_warps(Place::own_lines, alone, 16, 64);
  settings.add_warps(Place::own, false, 16, 384);
  settings.add_hot();
  return settings.take();
}

}  // namespace

std::size_t trials_of(const ThroughputRequest& setting) {
  constexpr std::size_t where_launches_differ_by_2_percent = 9;  // 0.7 % of the mean of nine
  constexpr std::size_t where_they_differ_by_3_percent = 13;     // 0.8 %
  constexpr std::size_t where_they_differ_by_4_percent = 17;     // 1 %
  // Each trial takes another SM. On one H100 they differ by an eighth; the means of 17 lay within 7 % in 17 runs.
  constexpr std::size_t where_sms_differ = 17;
  const bool on_same_word = setting.lanes_per_word == warp_lanes;
  if (setting.space == Space::shared) return trials;
  if (setting.place == Place::one_line) return on_same_word ? trials : where_launches_differ_by_2_percent;
  if (!setting.alone) return where_they_differ_by_3_percent;
  if (!setting.returns) return trials;
  if (on_same_word) return where_they_differ_by_4_percent;
  // From a quarter of a warp on, lanes that wait for each other make launches differ.
  const bool conflicts = 4 * setting.lanes_per_word >= warp_lanes;
  return conflicts || setting.place == Place::own_lines ? where_launches_differ_by_2_percent : where_sms_differ;
}

std::vector<ThroughputRequest> settings_of(Space space, std::size_t operation) {
  auto all = settings_of(space, operation, true);
  if (!operations[operation].has_reduction) return all;
  const auto reductions = settings_of(space, operation, false);
  all.insert(all.end(), reductions.begin(), reductions.end());
  return all;
}

}  // namespace tomograph::atomics
