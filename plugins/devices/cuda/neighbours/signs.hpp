#ifndef TOMOGRAPH_CUDA_NEIGHBOURS_SIGNS_HPP
#define TOMOGRAPH_CUDA_NEIGHBOURS_SIGNS_HPP

#include <chrono>
#include <deque>
#include <optional>

/// What the signs of another program on the GPU mean.
namespace tomograph::cuda {

/// Time without progress on the GPU beyond which another program had a turn. A turn takes two switches of contexts,
/// each of which saves and restores the registers and shared memory of all SMs, 60 MB on an H200: tens of microseconds.
/// Nothing else stops an SM for that long.
constexpr std::chrono::microseconds shortest_turn{20};

/// When other programs had turns, and for how long.
class Turns {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Duration = std::chrono::duration<double>;

  /// Another program had a turn.
  void add(Time when, Duration length);
  /// Nobody had a turn while the clock was watched.
  void none(Time when) { watched_in_vain_ = when; }

  /// Whether another program has used the GPU lately.
  [[nodiscard]] bool are_recent(Time now) const;
  /// Whether it is worth while to watch the clock now that something took longer than usual.
  [[nodiscard]] bool are_doubtful(Time now) const;
  /// Whether something that took so long may have contained a usual turn. Repetitions of it prove nothing, since each
  /// may contain one. Turns of another length differ from repetition to repetition.
  [[nodiscard]] bool may_lie_in(Duration time) const;

 private:
  [[nodiscard]] Duration usual_length() const;

  std::optional<Time> last_;
  std::optional<Time> watched_in_vain_;
  std::deque<Duration> lengths_;  ///< of the last turns
};

}  // namespace tomograph::cuda

#endif
