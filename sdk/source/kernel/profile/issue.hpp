#ifndef TOMOGRAPH_KERNEL_PROFILE_ISSUE_HPP
#define TOMOGRAPH_KERNEL_PROFILE_ISSUE_HPP

#include <span>
#include <vector>

#include "functional_pass.hpp"
#include "tomograph/kernel/profile.hpp"

namespace tomograph::kernel {

/// The intervals of a warp that is alone on its machine, and issues an instruction per cycle at most:
/// issue(k) = max(issue(k-1) + 1, done of what k needs), done = issue + latency (Huang et al. 2014, section III).
/// A gap in the issue ends an interval. `accesses` tells what a memory instruction at each position does on average.
/// At the end, the warp waits for the results that nothing needed.
[[nodiscard]] std::vector<Interval> intervals_of(const Warp& warp, std::span<const AccessCounts> accesses,
                                                 const ProfiledMachine& machine);

/// What tells warps apart.
struct WarpShape {
  double instructions = 0;
  double ipc = 0;
};

/// Number of the warp that represents all: the one nearest to the centre of the larger of two clusters, found by
/// k-means over IPC and instructions, each divided by its mean (Huang et al. 2014, section IV). `warps` is not empty.
[[nodiscard]] std::size_t representative(std::span<const WarpShape> warps);

}  // namespace tomograph::kernel

#endif
