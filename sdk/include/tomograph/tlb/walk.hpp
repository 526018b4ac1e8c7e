#ifndef TOMOGRAPH_TLB_WALK_HPP
#define TOMOGRAPH_TLB_WALK_HPP

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "tomograph/cache/subject.hpp"

/// Measurement of translation look-aside buffers (TLBs) by chase programs that load one line of each page, past L1,
/// with every line in L2. Functions take the memory with an executor of programs, publish nothing and know no device.
///
/// The penalty of a miss is small against the differences between lines, which lie at different distances. So each
/// visit of a page is a pair of loads of two nodes in one sector: the first may miss the TLBs, the second finds the
/// entry that the first brought. Their difference, the *extra latency* of the visit, does not depend on the distance.
/// All numbers of cycles here are extra latencies.
namespace tomograph::tlb {

using cache::Executor;

/// The memory that walks load.
struct Memory {
  Executor execute;
  std::int64_t bytes = 0;        ///< of the one array, always the same, so that pages keep their addresses
  std::int64_t line = 0;         ///< bytes of a line of L2
  std::int64_t most_visits = 0;  ///< most pages of a walk: L2 holds a line of each
  std::int64_t most_timed = 0;   ///< most loads that one program times
  std::int64_t l2_lines = 0;     ///< lines that L2 holds; 0 without one
  /// Most bytes of a page over which lines are spread: a page, or so few that the first TLB surely holds them.
  std::int64_t widest_spread = chase::array_alignment;

  /// Bytes over which lines are spread from the beginning of pages that are `stride` apart.
  [[nodiscard]] std::int64_t spread(std::int64_t stride) const { return std::min(stride, widest_spread); }
  /// Pages so far apart that it holds.
  [[nodiscard]] std::int64_t places(std::int64_t stride) const { return (bytes - spread(stride)) / stride; }
};

/// A walk that visits pages in the given order, each time at another line as far as pages have them and L2 holds them.
/// A line's extra latency is off by a few cycles that repeating the same line would not average out.
struct Walk {
  std::vector<std::int64_t> pages;  ///< byte offset of the page of each visit; a page may occur several times
  std::int64_t unit = 0;            ///< bytes from each offset on over which the lines of the visits are spread
  std::int64_t passes = 1;          ///< passes timed and kept
  std::int64_t warm = 4;            ///< walks over the pages beforehand, at least
  std::int64_t first_line = 0;      ///< number of the first visit's line; other numbers give other lines
  std::int64_t trial = 0;           ///< walks of another trial are measured again
};

/// Walks over so many pages after which a level whose victims are random holds them, if they are half as many as fit.
/// (Each miss may replace a page of the walk.) Fewer if the pages are many, so that they take milliseconds.
[[nodiscard]] std::int64_t warming_walks(std::int64_t pages);

/// The same if they are as many as fit: the W pages that fit a set have found their places after 3 W walks, with
/// probability 0.99.
[[nodiscard]] std::int64_t settling_walks(std::int64_t pages);

/// Extra latencies of the timed visits, in cycles.
struct ExtraLatency {
  std::size_t visits = 0;
  std::vector<double> cycles;  ///< pass after pass

  [[nodiscard]] std::size_t passes() const { return cycles.size() / visits; }
  [[nodiscard]] double at(std::size_t pass, std::size_t visit) const { return cycles[pass * visits + visit]; }
  /// By visit: median over the passes.
  [[nodiscard]] std::vector<double> medians() const;
};

/// The program of a walk. Its lines are at most memory.most_visits. It runs alone on the device, since
/// SMs may share TLBs. When a timed phase begins, a device may load descriptions from memory; these take an entry of
/// each TLB and, under LRU, make up to a whole pass miss. So the first timed pass is not kept, as long as most_timed
/// has room for it.
/// @throws std::invalid_argument if one pass visits a page more often than it has lines.
[[nodiscard]] chase::Program program(const Memory& memory, const Walk& walk);

/// Whether successive passes load different lines of each page. Passes over more pages than half of memory.most_visits
/// do not, nor do passes over pages of one line.
[[nodiscard]] bool loads_other_lines(const Memory& memory, const Walk& walk);

/// First loads minus second loads of a trace of pairs, in cycles.
[[nodiscard]] std::vector<double> differences(const chase::Result::Trace& trace);

/// The extra latencies in the result of a walk's program.
[[nodiscard]] ExtraLatency extra_latency_of(const Memory& memory, const Walk& walk, const chase::Result& result);

/// Executes walks in one batch.
[[nodiscard]] std::vector<ExtraLatency> extra_latency(const Memory& memory, std::span<const Walk> walks);
[[nodiscard]] ExtraLatency extra_latency(const Memory& memory, const Walk& walk);

/// Whether a program can time one pass over so many pages.
[[nodiscard]] bool can_time(const Memory& memory, std::int64_t visits);

/// Number of passes that a walk of so many visits can keep: at most `wanted`, at least 1.
[[nodiscard]] std::int64_t possible_passes(const Memory& memory, std::int64_t visits, std::int64_t wanted);

/// Number of the line, of `lines` of a page, for visit `number`: Fibonacci hashing (Knuth, TAOCP 3, section 6.4). Any
/// successive visits spread evenly over the lines, and over the sets of a cache, also where these depend on bits of the
/// page as well.
[[nodiscard]] std::int64_t line_of_visit(std::int64_t number, std::int64_t lines);

/// `count` offsets from `start` on, `stride` apart.
[[nodiscard]] std::vector<std::int64_t> evenly(std::int64_t stride, std::int64_t count, std::int64_t start = 0);

}  // namespace tomograph::tlb

#endif
