#ifndef TOMOGRAPH_MEMORY_SPECTRUM_ANALYSIS_SAMPLES_HPP
#define TOMOGRAPH_MEMORY_SPECTRUM_ANALYSIS_SAMPLES_HPP

#include <array>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "analysis_heterogeneity.hpp"
#include "analysis_open_rows.hpp"
#include "patterns.hpp"
#include "tomograph/analysis/delays.hpp"
#include "tomograph/analysis/interval.hpp"

/// The latency of each pattern (Mei & Chu 2017, section 5.2) from the loads of the chase. Pure functions.
namespace tomograph::memory_spectrum {

/// Two loads of one sector lie equally far away, and the second hits L2 and every TLB. So their difference is what the
/// first one missed.
struct Differences {
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();

  [[nodiscard]] bool contain(double cycles) const { return cycles >= least && cycles <= most; }
};

/// What misses cost, in cycles.
struct Penalties {
  std::vector<double> tlb;  ///< the first level first
  std::optional<double> window;
  std::optional<double> l2;
};

/// The differences of a pattern that hits L2: up to half of the way to what the pattern does not miss as well, and to
/// what it should not miss. P1 has no lower limit, since nothing is faster.
[[nodiscard]] Differences differences_of(std::size_t pattern, const Penalties& penalties);

/// A load of a pattern.
struct Load {
  double cycles = 0;    ///< net latency
  std::int64_t sm = 0;  ///< that saw it
  std::int64_t program = 0;
  std::int64_t block = 0;  ///< the size of the smallest one that an earlier load has seen
};

/// Net latencies of a pattern. The SM that saw each and the number of its program make up a visit.
struct Sample {
  std::vector<double> cycles;
  std::vector<std::int64_t> sm;
  std::vector<std::int64_t> program;
  std::vector<std::int64_t> block;
  bool overlaps_hits = false;       ///< hits and misses cannot be told apart
  std::size_t others = 0;           ///< loads that were left out because they hit or missed something else
  std::vector<double> differences;  ///< of the pairs that were kept, where loads come in pairs

  std::int64_t row_block = 0;    ///< bytes within which later loads were left out, since rows stay open; 0: none
  std::size_t in_open_rows = 0;  ///< these

  void push_back(const Load& load);
  [[nodiscard]] Load at(std::size_t index) const;
};
using Samples = std::array<Sample, patterns.size()>;

/// Removes loads of P4 and P5 that hit the data cache after all: they are no slower than near hits with the same TLB
/// hits and misses. (Far hits may take longer than near misses.) A visit in which more than a tenth of the lines hit is
/// removed as a whole, since its remaining loads are mostly far, unless that leaves no visit. If such loads may as well
/// be early misses, because the cluster of misses begins before that of hits ends and the mean would move by more than
/// its error, the sample is marked as overlapping hits.
void remove_hits(Samples& samples);

/// Leaves out those loads of P4 that may find their row open, if memory keeps rows open: what they take depends on the
/// order of the chase, and no other program has that.
void leave_out_open_rows(Samples& samples);

/// By how much the first loads of P1's pairs take longer than the second ones, which surely hit the first TLB; 0 if
/// chance explains it, or half a cycle.
[[nodiscard]] double translation_in_p1(const Samples& samples);

/// Whether some loads of P4 take, beyond a hit of P1, more than twice as long as others: no distance or row of one
/// memory makes so much, so that a cache behind L2 may serve the faster ones.
[[nodiscard]] bool are_served_at_two_depths(const Samples& samples);

/// How long the loads of a pattern take.
struct Latency {
  /// The loads as an average SM sees them. Each SM's loads are corrected by what its hits with the same TLB behaviour
  /// differ from those of all SMs: some SMs are far from L2 or from the unit that walks page tables, which is neither a
  /// distance of memory nor a delay.
  analysis::Delays loads;
  /// Standard error of a mean for the whole device, which adds those of the choice of SMs and of visits to `of_loads`.
  [[nodiscard]] double error(double of_loads) const;
  /// Half of the interval of a mean: 3 standard errors, which a normal deviate exceeds with probability 0.3 %, and a
  /// cycle for the overhead of the timing.
  [[nodiscard]] double reach(double of_loads) const { return 3 * error(of_loads) + 1; }
  /// Covers the mean of undelayed loads, which is `mean`, and that of all: what refresh adds is no property of one
  /// load, and part of what programs see.
  [[nodiscard]] analysis::Interval interval(double mean, double of_loads) const {
    return {mean - reach(of_loads), mean + reach(of_loads) + delay};
  }
  double delay = 0;  ///< by how much the mean of all loads exceeds that of undelayed ones
  /// Whether the visits agree within chance, or differ by less than the interval allows.
  [[nodiscard]] bool is_steady() const;
  double sm_error = 0;
  double visit_error = 0;  ///< of the mean over visits whose true means differ
  std::vector<std::int64_t> sms;
  std::vector<double> hits_by_sm;  ///< means of the hits with the same TLB behaviour
  /// Of the means of the visits, corrected as the loads, in which delayed loads count as the slowest undelayed one. The
  /// means differ if the SM's clock changes between visits, or if another process uses memory.
  Heterogeneity visits;
};

/// Loads of memory behind the SM's own partition, and behind another one.
struct NearAndFar {
  analysis::Distance near;
  analysis::Distance far;
};

/// Two distances, or more on either side of the widest gap: rows that are open make some loads of each faster. Nothing
/// if there is one distance, or no gap is half as wide again as the others.
[[nodiscard]] std::optional<NearAndFar> near_and_far(std::span<const analysis::Distance> distances);

/// Requires that the pattern has loads.
[[nodiscard]] Latency latency_of(const Samples& samples, std::size_t pattern,
                                 const analysis::ModeResolution& resolution = analysis::distant);

/// By how many cycles first visits of pages, P5 or P6, surely take longer than a miss of L2 and misses of all TLBs that
/// P3 misses take together. Negative if they surely take less, 0 if neither is sure.
[[nodiscard]] double sure_excess(const Samples& samples, std::size_t first_visits);

}  // namespace tomograph::memory_spectrum

#endif
