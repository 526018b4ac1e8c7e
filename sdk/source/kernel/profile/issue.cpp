#include "issue.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace tomograph::kernel {

namespace {

/// Lays the instructions of a warp out in time.
class IntervalWriter {
 public:
  IntervalWriter(const Warp& warp, std::span<const AccessCounts> accesses, const ProfiledMachine& machine)
      : warp_(warp), accesses_(accesses), machine_(machine) {}

  std::vector<Interval> intervals() {
    for (std::size_t k = 0; k < warp_.instructions.size(); ++k) issue(k);
    end(times_.end());
    return std::move(intervals_);
  }

 private:
  void issue(std::size_t k) {
    const Instruction& instruction = warp_.instructions[k];
    const IssueTimes::Issue issue = times_.issue(instruction);
    if (issue.stall > 0) end(issue);
    open_.instructions += 1;
    const AccessCounts* access = access_at(k);
    if (access != nullptr) count_misses(instruction, *access);
    if (access == nullptr || !reads_memory(instruction)) {
      times_.complete(machine_.latency[static_cast<std::size_t>(instruction.operation)]);
    } else {
      times_.complete(access->latency_sum / access->instructions, access->missing / access->instructions);
    }
  }

  void end(const IssueTimes::Issue& issue) {
    open_.stall = issue.stall;
    open_.waits_for_miss = issue.waits_for_miss;
    intervals_.push_back(open_);
    open_ = {};
  }

  void count_misses(const Instruction& instruction, const AccessCounts& access) {
    if (access.units == 0) return;
    units_of(warp_, instruction, machine_.miss_bytes, units_);
    const double misses = static_cast<double>(units_.size()) * access.misses / access.units;
    (reads_memory(instruction) ? open_.read_misses : open_.write_misses) += misses;
  }

  /// What memory instructions at this position did; null if instruction k is none.
  [[nodiscard]] const AccessCounts* access_at(std::size_t k) const {
    if (!touches_memory(warp_.instructions[k])) return nullptr;
    return k < accesses_.size() && accesses_[k].instructions > 0 ? &accesses_[k] : nullptr;
  }

  const Warp& warp_;
  std::span<const AccessCounts> accesses_;
  const ProfiledMachine& machine_;
  IssueTimes times_;
  std::vector<std::uint64_t> units_;
  std::vector<Interval> intervals_;
  Interval open_;
};

using Point = std::array<double, 2>;

double distance(const Point& a, const Point& b) { return std::hypot(a[0] - b[0], a[1] - b[1]); }

/// Each warp's IPC and instructions, divided by their means.
std::vector<Point> features(std::span<const WarpShape> warps) {
  double ipc = 0;
  double instructions = 0;
  for (const WarpShape& warp : warps) {
    ipc += warp.ipc;
    instructions += warp.instructions;
  }
  const auto count = static_cast<double>(warps.size());
  std::vector<Point> points;
  for (const WarpShape& warp : warps)
    points.push_back({warp.ipc / ipc * count, warp.instructions / instructions * count});
  return points;
}

Point mean(const std::vector<Point>& points, const std::vector<int>& cluster, int which) {
  Point sum{};
  double count = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (cluster[i] != which) continue;
    sum[0] += points[i][0];
    sum[1] += points[i][1];
    count += 1;
  }
  return {sum[0] / count, sum[1] / count};
}

/// Lloyd's iteration (1982) from the two extreme points, so that it needs no random numbers. It ends, since the sum of
/// squared distances falls with each step.
std::vector<int> two_means(const std::vector<Point>& points) {
  const auto [low, high] = std::ranges::minmax_element(points, {}, [](const Point& p) { return p[0] + p[1]; });
  std::array<Point, 2> centres{*low, *high};
  std::vector<int> cluster(points.size(), -1);
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const int nearer = distance(points[i], centres[1]) < distance(points[i], centres[0]) ? 1 : 0;
      changed |= nearer != cluster[i];
      cluster[i] = nearer;
    }
    for (int which = 0; which < 2; ++which) {
      if (std::ranges::count(cluster, which) > 0)
        centres[static_cast<std::size_t>(which)] = mean(points, cluster, which);
    }
  }
  return cluster;
}

}  // namespace

IssueTimes::Issue IssueTimes::after(const Result& awaited) const {
  const double stall = std::max(0.0, awaited.done - now_ - 1);
  return {now_ + 1 + stall, stall, stall > 0 ? awaited.missing : 0};
}

IssueTimes::Issue IssueTimes::issue(const Instruction& instruction) {
  Result awaited;
  for (const std::int32_t need : instruction.needs) {
    if (need == Instruction::no_need) continue;
    const Result& needed = results_[static_cast<std::size_t>(need)];
    if (needed.done > awaited.done) awaited = needed;
  }
  const Issue issue = after(awaited);
  now_ = issue.cycle;
  return issue;
}

void IssueTimes::complete(double latency, double missing) {
  results_.push_back({now_ + latency, missing});
  if (results_.back().done > last_.done) last_ = results_.back();
}

IssueTimes::Issue IssueTimes::end() const { return after(last_); }

std::vector<Interval> intervals_of(const Warp& warp, std::span<const AccessCounts> accesses,
                                   const ProfiledMachine& machine) {
  if (warp.instructions.empty()) return {};
  return IntervalWriter(warp, accesses, machine).intervals();
}

std::size_t representative(std::span<const WarpShape> warps) {
  const std::vector<Point> points = features(warps);
  const std::vector<int> cluster = two_means(points);
  const int larger = 2 * std::ranges::count(cluster, 1) > static_cast<std::ptrdiff_t>(points.size()) ? 1 : 0;
  const Point centre = mean(points, cluster, larger);
  std::size_t nearest = points.size();
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (cluster[i] != larger) continue;
    if (nearest == points.size() || distance(points[i], centre) < distance(points[nearest], centre)) nearest = i;
  }
  return nearest;
}

}  // namespace tomograph::kernel
