#ifndef TOMOGRAPH_KERNEL_PROFILE_ISSUE_HPP
#define TOMOGRAPH_KERNEL_PROFILE_ISSUE_HPP

#include <span>
#include <vector>

#include "functional_pass.hpp"
#include "tomograph/kernel/profile.hpp"

namespace tomograph::kernel {

/// When the instructions of a warp issue that is alone on its machine, one per cycle at most:
/// issue(k) = max(issue(k-1) + 1, done of what k needs), done = issue + latency (Huang et al. 2014, section III).
class IssueTimes {
 public:
  struct Issue {
    double cycle = 0;
    double stall = 0;           ///< cycles of the gap before it
    double waits_for_miss = 0;  ///< share of warps that wait, in the gap, for a load that missed
  };
  /// The next instruction.
  Issue issue(const Instruction& instruction);
  /// What the instruction that was issued last does: its result is there after `latency` cycles. `missing` is the share
  /// of warps in which it is a load that missed.
  void complete(double latency, double missing = 0);
  /// The end of the warp, which waits for the results that nothing needed.
  [[nodiscard]] Issue end() const;

 private:
  struct Result {
    double done = 0;
    double missing = 0;
  };
  [[nodiscard]] Issue after(const Result& awaited) const;

  std::vector<Result> results_;
  Result last_;  ///< the result that is done last
  double now_ = -1;
};

/// The intervals of such a warp. A gap in the issue ends an interval. `accesses` tells what a memory instruction at
/// each position does on average.
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
