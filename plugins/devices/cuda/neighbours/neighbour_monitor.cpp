#include "cuda/neighbours/neighbour_monitor.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "cuda/neighbours/kernels.hpp"
#include "tomograph/cuda/device.hpp"

namespace tomograph::cuda {

namespace {

using Clock = std::chrono::steady_clock;

/// Longer than a kernel takes from launch to end on an idle GPU, 10 to 20 us, and shorter than to wait for a turn.
constexpr std::chrono::microseconds prompt{60};
/// The slices into which GPUs divide time among programs by default.
constexpr std::uint64_t slice_milliseconds = 2;
/// Time for which the clock is watched: several slices.
constexpr std::uint64_t watched_milliseconds = 10;

}  // namespace

NeighbourMonitor::NeighbourMonitor(int device)
    : kilohertz_(static_cast<std::uint64_t>(attribute(cudaDevAttrClockRate, device))) {
  longest_.reserve(sizeof(std::uint64_t));
  watch(0);  // loads the kernel
}

std::uint64_t NeighbourMonitor::watch(std::uint64_t cycles) {
  auto* longest = reinterpret_cast<std::uint64_t*>(longest_.data());
  const std::uint64_t gap = kilohertz_ * static_cast<std::uint64_t>(shortest_turn.count()) / 1000;
  check(launch_clock_watch(cycles, gap, longest, stream_.get()), "watching the clock");
  stream_.synchronize();
  return *longest >= gap ? *longest : 0;
}

bool NeighbourMonitor::is_delayed() {
  const auto begin = Clock::now();
  watch(0);
  return Clock::now() - begin > prompt;
}

bool NeighbourMonitor::in_use() {
  // The host's own delays seldom meet two kernels in a row.
  suspected_ = suspected_ || (is_delayed() && is_delayed());
  if (suspected_ && turns_.are_doubtful(Clock::now())) {
    suspected_ = false;
    const std::uint64_t gap = watch(kilohertz_ * watched_milliseconds);
    if (gap == 0) {
      turns_.none(Clock::now());
    } else {
      turns_.add(Clock::now(),
                 std::chrono::duration<double>(static_cast<double>(gap) / 1e3 / static_cast<double>(kilohertz_)));
    }
  }
  return has_seen_turns();
}

bool NeighbourMonitor::has_seen_turns() const { return turns_.are_recent(Clock::now()); }

std::int64_t NeighbourMonitor::part_of_a_slice() {
  // Multiples of the golden ratio spread evenly.
  part_ = std::fmod(part_ + std::numbers::phi, 1.0);
  return static_cast<std::int64_t>(part_ * static_cast<double>(kilohertz_ * slice_milliseconds));
}

bool NeighbourMonitor::may_have_disturbed(double cycles) const {
  const Turns::Duration time(cycles / 1e3 / static_cast<double>(kilohertz_));
  return has_seen_turns() && turns_.may_lie_in(time);
}

}  // namespace tomograph::cuda
