#ifndef TOMOGRAPH_SIM_KERNEL_TIME_HPP
#define TOMOGRAPH_SIM_KERNEL_TIME_HPP

#include <algorithm>
#include <cstdint>
#include <limits>

namespace tomograph::sim::timed {

using Cycle = std::int64_t;
inline constexpr Cycle never = std::numeric_limits<Cycle>::max();

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
