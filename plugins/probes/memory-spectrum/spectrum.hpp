#ifndef TOMOGRAPH_MEMORY_SPECTRUM_SPECTRUM_HPP
#define TOMOGRAPH_MEMORY_SPECTRUM_SPECTRUM_HPP

#include <array>
#include <optional>
#include <vector>

#include "tomograph/analysis/delays.hpp"
#include "heterogeneity.hpp"
#include "tomograph/experiment/chase.hpp"

/// The latency spectrum of global memory (Mei & Chu 2017, section 5.2): one chase of non-uniform strides that meets
/// each combination of hits and misses of the data cache and the TLBs.
namespace tomograph::memory_spectrum {

/// Table 3 of Mei et al. 2014. The data cache is the one that `global.cg` looks into, L2.
struct Pattern {
  const char* name;
  const char* data_cache;
  const char* first_tlb;
  const char* other_tlbs;
};
inline constexpr std::array<Pattern, 6> patterns{{{"p1", "hit", "hit", "-"},
                                                  {"p2", "hit", "miss", "hit"},
                                                  {"p3", "hit", "miss", "miss"},
                                                  {"p4", "miss", "hit", "-"},
                                                  {"p5", "miss", "miss", "miss"},
                                                  {"p6", "miss", "miss", "miss, page window too"}}};

/// One level of TLB, as known.
struct Tlb {
  std::int64_t entries = 0;
  std::int64_t span = 0;  ///< bytes that an entry serves
};

/// What the chase is built from.
struct Known {
  std::int64_t line = 0;
  std::int64_t l2_bytes = 0;
  std::int64_t memory = 0;  ///< bytes that may be taken
  std::int64_t sm_count = 1;
  std::vector<Tlb> tlb = {};  ///< the first level first
  std::optional<std::int64_t> window = std::nullopt;
};

/// One timed phase of a pattern, and the SM that makes its loads.
struct TimedPhase {
  std::size_t trace = 0;
  std::int64_t sm = 0;
};

/// The program, and which of its timed phases belong to each pattern: none if this memory cannot show it.
struct Chase {
  chase::Program program;
  std::array<std::vector<TimedPhase>, patterns.size()> phases = {};
};

/// A program that meets, one after the other, every pattern that this memory can show, from up to sixteen SMs all
/// over the device. Each trial visits other lines, and other SMs where there are more.
/// Requires 0 <= trial < trials.
[[nodiscard]] Chase build(const Known& known, std::int64_t trial, std::int64_t trials);

/// Patterns that miss the data cache.
inline constexpr std::array<std::size_t, 3> past_data_cache{3, 4, 5};

/// Over how many loads the chase times patterns that miss the data cache, from the first of a pattern to the last: the
/// least of those that it meets. What it cannot see is a clock that stays elsewhere for all of them.
[[nodiscard]] std::int64_t timed_span(const Chase& chase);

/// Net latencies of a pattern, the SM that saw each, and the number of the program in which it did.
struct Sample {
  std::vector<double> cycles;
  std::vector<std::int64_t> sm;
  std::vector<std::int64_t> program;
  bool overlaps_hits = false;  ///< what is a hit and what a miss cannot be told

  void push_back(double latency, std::int64_t seen_by, std::int64_t in);
};
using Samples = std::array<Sample, patterns.size()>;

/// Adds what the program, built as `chase`, brought.
void add(Samples& samples, const Chase& chase, const chase::Result& result);

/// Removes from P4 and P5 loads that found their line in the data cache all the same: no slower than near hits that
/// translate alike. (Far hits may take longer than near misses.) A visit of an SM that found more than a tenth of its
/// lines there is removed whole, as long as there are others: what would be left of it is mostly far. Where such loads
/// may as well be early misses, since the heap of these begins before that of hits ends, and the mean would move by
/// more than its error without them, the sample is said to overlap hits.
void remove_hits(Samples& samples);

/// How long the loads of a pattern take.
struct Latency {
  /// Of the loads as a mean SM would see them: less what each SM's hits that translate alike take more than those of
  /// all, since some SMs lie far from L2 or from what walks page tables, which is neither memory's distance nor delay.
  analysis::Delays loads;
  /// Standard error of a mean for the whole device: that of the loads and that of the choice of SMs.
  [[nodiscard]] double error(double of_loads) const;
  /// How far a mean may be from the truth, with the overhead of the timing.
  [[nodiscard]] double reach(double of_loads) const { return 3 * error(of_loads) + 1; }
  /// Whether the visits, of an SM in a program each, agree but for chance, or differ by less than is owned up to.
  [[nodiscard]] bool is_steady() const;
  double sm_error = 0;
  std::vector<std::int64_t> sms;
  std::vector<double> hits_by_sm;  ///< means of the hits that translate alike
  /// Of the visits' means, corrected as the loads and late loads counted as the last ones in time: were the clock of
  /// the SM to step between visits, or another process to use memory, these would be apart.
  analysis::Heterogeneity visits;
};

/// Requires that the pattern was met.
[[nodiscard]] Latency latency_of(const Samples& samples, std::size_t pattern,
                                 const analysis::ModeResolution& resolution = analysis::distant);

}  // namespace tomograph::memory_spectrum

#endif
