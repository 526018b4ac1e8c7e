#ifndef TOMOGRAPH_TLB_WALK_HPP
#define TOMOGRAPH_TLB_WALK_HPP

#include <cstdint>
#include <span>
#include <vector>

#include "tomograph/cache/subject.hpp"

/// Measurement of translation look-aside buffers (TLBs) by chase programs: one line of each page, past L1, every line
/// in L2. Functions take the memory and a way to run programs, publish nothing and know no device.
///
/// What a miss costs is small beside what the way to a line costs by its address. So each visit is a pair of loads, of
/// two nodes in one sector of one line: the first may miss the TLBs, the second finds there what the first brought.
/// Their difference, the *extra latency* of the visit, is free of the way. All numbers of cycles here are extra
/// latencies.
namespace tomograph::tlb {

using cache::Executor;

/// Where walks take place.
struct Memory {
  Executor execute;
  std::int64_t bytes = 0;        ///< of the one array, always the same, so that pages keep their addresses
  std::int64_t line = 0;         ///< bytes of a line of L2
  std::int64_t most_visits = 0;  ///< pages of a walk, so few that L2 surely holds a line of each
  std::int64_t most_timed = 0;   ///< loads that one program can time
};

/// Pages visited over and over in the given order, each time by another line: how much longer the first load of a line
/// takes than the second varies from line to line by a few cycles, which repeating the same line would not average out.
struct Walk {
  std::vector<std::int64_t> pages;  ///< byte offset of each visit's page; a page that occurs again is visited again
  std::int64_t unit = 0;            ///< bytes from each offset on over which the lines of the visits are spread
  std::int64_t passes = 1;          ///< passes timed and kept
  std::int64_t warm = 1;            ///< walks over all lines of all passes beforehand
};

/// What the timed visits took longer than a second load of the same line.
struct ExtraLatency {
  std::size_t visits = 0;
  std::vector<double> cycles;  ///< pass after pass

  [[nodiscard]] std::size_t passes() const { return cycles.size() / visits; }
  [[nodiscard]] double at(std::size_t pass, std::size_t visit) const { return cycles[pass * visits + visit]; }
  /// By visit: median over the passes.
  [[nodiscard]] std::vector<double> medians() const;
};

/// The program of a walk: alone on the device, since SMs may share TLBs. A device may read descriptions from memory
/// where a timed phase begins, which takes an entry of each TLB and, under LRU, makes up to a whole pass miss; so the
/// first timed pass is not kept, as long as most_timed has room for it.
[[nodiscard]] chase::Program program(const Memory& memory, const Walk& walk);

/// First loads less second loads of a trace of pairs.
[[nodiscard]] std::vector<double> differences(const chase::Result::Trace& trace);

/// What the program of a walk returned.
[[nodiscard]] ExtraLatency extra_latency_of(const Memory& memory, const Walk& walk, const chase::Result& result);

/// Runs walks.
[[nodiscard]] std::vector<ExtraLatency> extra_latency(const Memory& memory, std::span<const Walk> walks);
[[nodiscard]] ExtraLatency extra_latency(const Memory& memory, const Walk& walk);

/// Most passes that a walk of so many visits can keep, at most `wanted`, at least 1.
[[nodiscard]] std::int64_t possible_passes(const Memory& memory, std::int64_t visits, std::int64_t wanted);

/// Offsets 0, stride, 2 stride, ...
[[nodiscard]] std::vector<std::int64_t> evenly(std::int64_t stride, std::int64_t count, std::int64_t start = 0);

/// Spreading lines further than over this many bytes has no merit: the smallest page that any device maps, as a rule.
inline constexpr std::int64_t widest_spread = chase::array_alignment;
[[nodiscard]] inline std::int64_t spread(std::int64_t stride) {
  return stride < widest_spread ? stride : widest_spread;
}

}  // namespace tomograph::tlb

#endif
