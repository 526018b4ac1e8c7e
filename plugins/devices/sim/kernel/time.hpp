#ifndef TOMOGRAPH_SIM_KERNEL_TIME_HPP
#define TOMOGRAPH_SIM_KERNEL_TIME_HPP

#include <algorithm>
#include <cstdint>
#include <limits>

namespace tomograph::sim::timed {

using Cycle = std::int64_t;
inline constexpr Cycle never = std::numeric_limits<Cycle>::max();

/// A cycle, and the place of something among all that happens in it: what was known longer before comes first, and of
/// what became known in the same cycle, the first.
using Moment = std::uint64_t;
inline constexpr Moment no_moment = std::numeric_limits<Moment>::max();

/// The time of a part of the GPU.
class Clock {
 public:
  [[nodiscard]] static Cycle cycle_of(Moment moment) { return static_cast<Cycle>(moment >> cycle_shift); }

  [[nodiscard]] Cycle now() const { return now_; }
  void advance_to(Cycle cycle) {
    if (cycle != now_) known_now_ = 0;
    now_ = cycle;
  }
  /// The place in `when` of something that is known now.
  Moment place_in(Cycle when) {
    if (known_now_ < most_known) ++known_now_;
    return place_in(when, now_, known_now_);
  }
  /// The place in `when` of something that becomes known in `known`, before all that other parts know then.
  [[nodiscard]] static Moment place_in(Cycle when, Cycle known) { return place_in(when, known, 0); }

 private:
  // Both beyond what happens: an SM's pipelines take tens of cycles, and less than a hundred things end in one. Beyond,
  // the order would merely be another one.
  static constexpr int wait_shift = 10;
  static constexpr int cycle_shift = 20;
  static constexpr Moment most_known = (Moment{1} << wait_shift) - 1;
  static constexpr Moment longest_wait = (Moment{1} << (cycle_shift - wait_shift)) - 1;

  static Moment place_in(Cycle when, Cycle known, Moment order) {
    const Moment wait = std::min(static_cast<Moment>(when - known), longest_wait);
    return static_cast<Moment>(when) << cycle_shift | (longest_wait - wait) << wait_shift | order;
  }

  Cycle now_ = 0;
  Moment known_now_ = 0;
};

/// The first whole cycle that is not before `time`, which is not negative.
inline Cycle round_up(double time) {
  const auto whole = static_cast<Cycle>(time);
  return whole + (static_cast<double>(whole) < time ? 1 : 0);
}

/// A part that serves one customer after the other, in the order of their arrival.
class Server {
 public:
  /// Serves for `cycles`, which need not be whole. Returns when it is done.
  Cycle serve(Cycle now, double cycles) {
    free_ = std::max(free_, static_cast<double>(now)) + cycles;
    return round_up(free_);
  }
  /// When it can serve the next one.
  [[nodiscard]] double free() const { return free_; }

 private:
  double free_ = 0;
};

}  // namespace tomograph::sim::timed

#endif
