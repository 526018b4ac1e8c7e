#include "tomograph/tlb/walk.hpp"

#include <algorithm>
#include <stdexcept>
#include <unordered_set>

#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::tlb {

namespace {

/// Chooses a line for each visit within its page's unit: the next one each time, so that no set of a cache gets more
/// than its share, and none twice.
class Lines {
 public:
  Lines(std::int64_t unit, std::int64_t line) : line_(line), count_(std::max<std::int64_t>(unit / line, 1)) {}

  std::int64_t next(std::int64_t page) {
    for (std::int64_t tried = 0; tried < count_; ++tried) {
      const std::int64_t offset = page + next_++ % count_ * line_;
      if (taken_.insert(offset).second) return offset;
    }
    throw std::invalid_argument("a page is visited more often than it has lines");
  }

 private:
  std::int64_t line_;
  std::int64_t count_;
  std::int64_t next_ = 0;
  std::unordered_set<std::int64_t> taken_;
};

/// Whether the program has room to time a pass that is not kept.
bool settles(const Memory& memory, std::int64_t visits, std::int64_t passes) {
  return 2 * visits * (passes + 1) <= memory.most_timed;
}

/// Timed passes, with the one that is not kept.
std::int64_t timed_passes(const Memory& memory, const Walk& walk) {
  return walk.passes + (settles(memory, static_cast<std::int64_t>(walk.pages.size()), walk.passes) ? 1 : 0);
}

}  // namespace

std::vector<double> Surplus::medians() const {
  std::vector<double> result;
  for (std::size_t visit = 0; visit < visits; ++visit) {
    std::vector<double> own;
    for (std::size_t pass = 0; pass < passes(); ++pass) own.push_back(at(pass, visit));
    result.push_back(analysis::median(own));
  }
  return result;
}

chase::Program program(const Memory& memory, const Walk& walk) {
  chase::Ring pairs;
  chase::Ring warm;
  Lines lines(walk.unit, memory.line);
  for (std::int64_t pass = 0; pass < timed_passes(memory, walk); ++pass) {
    for (const std::int64_t page : walk.pages) {
      const std::int64_t at = lines.next(page);
      pairs.nodes.push_back(at);
      pairs.nodes.push_back(at + chase::node_bytes);
      warm.nodes.push_back(at + 2 * chase::node_bytes);
    }
  }
  const std::int64_t loads = warm.size();
  chase::Program result;
  result.arrays = {{memory.bytes}};
  result.rings = {std::move(pairs), std::move(warm)};
  result.actors = {{.sm = 0, .path = chase::Path::global_cg}};
  result.alone = true;
  result.phases = {{.ring = 1, .loads = walk.warm * loads},
                   {.ring = 0, .loads = 2 * loads, .timing = chase::Timing::each}};
  return result;
}

std::vector<double> differences(const chase::Result::Trace& trace) {
  std::vector<double> cycles;
  for (std::size_t i = 0; i + 1 < trace.latency.size(); i += 2) {
    cycles.push_back(static_cast<double>(trace.latency[i]) - static_cast<double>(trace.latency[i + 1]));
  }
  return cycles;
}

Surplus reduced(const Memory& memory, const Walk& walk, const chase::Result& result) {
  Surplus surplus{walk.pages.size(), differences(result.traces.front())};
  const std::int64_t dropped = timed_passes(memory, walk) - walk.passes;
  const auto visits = static_cast<std::ptrdiff_t>(walk.pages.size());
  surplus.cycles.erase(surplus.cycles.begin(), surplus.cycles.begin() + dropped * visits);
  return surplus;
}

std::vector<Surplus> surplus(const Memory& memory, std::span<const Walk> walks) {
  std::vector<chase::Program> programs;
  for (const Walk& walk : walks) programs.push_back(program(memory, walk));
  const auto results = memory.execute(programs);
  std::vector<Surplus> found;
  for (std::size_t i = 0; i < walks.size(); ++i) found.push_back(reduced(memory, walks[i], results[i]));
  return found;
}

Surplus surplus(const Memory& memory, const Walk& walk) { return surplus(memory, std::span(&walk, 1)).front(); }

std::int64_t possible_passes(const Memory& memory, std::int64_t visits, std::int64_t wanted) {
  return std::clamp<std::int64_t>(memory.most_timed / (2 * visits) - 1, 1, wanted);
}

std::vector<std::int64_t> evenly(std::int64_t stride, std::int64_t count, std::int64_t start) {
  std::vector<std::int64_t> pages;
  for (std::int64_t i = 0; i < count; ++i) pages.push_back(start + i * stride);
  return pages;
}

}  // namespace tomograph::tlb
