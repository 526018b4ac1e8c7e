#ifndef TOMOGRAPH_CLASSICAL_METHODS_ANALYSIS_AVERAGE_LATENCY_HPP
#define TOMOGRAPH_CLASSICAL_METHODS_ANALYSIS_AVERAGE_LATENCY_HPP

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

/// The parameters of a cache from the *average* latency of walks: methods from before single loads could be timed.
///
/// Both methods assume what Mei & Chu 2017 list in section 4.1: LRU replacement, sets chosen by the address bits right
/// above those of the line, and lines that are fetched and evicted as a whole. If a cache breaks an assumption, they
/// return wrong values; sections 4.1 and 4.3 show that the two methods contradict each other.
namespace tomograph::classical_methods {

/// C, b, T and a in the papers' letters. What a curve does not show is absent.
struct CacheParameters {
  std::int64_t size = 0;  ///< bytes
  std::optional<std::int64_t> line_size = {};
  std::optional<std::int64_t> sets = {};
  std::optional<std::int64_t> ways = {};

  bool operator==(const CacheParameters&) const = default;
};

/// Average latency of walks over `bytes` bytes by their stride, which ascends by powers of two.
struct StrideCurve {
  std::int64_t bytes = 0;
  std::vector<std::int64_t> strides;
  std::vector<double> cycles;
};

/// Whether the largest curve has misses at some stride.
[[nodiscard]] bool shows_misses(std::span<const StrideCurve> curves);

/// Saavedra 1992 as in Mei & Chu 2017, Eq. 1 and Fig. 4. Miss rates follow from latencies between the lowest and the
/// highest of all. The size is the largest `bytes` whose curve shows no misses, like those of all smaller ones. The
/// curve of the largest `bytes` gives the rest: its miss rate is s / b up to the line size b, then 1, and falls to 0
/// where N / s lines fit the ways of one set: a = N / s; T = C / (a b).
/// `curves` ascend in `bytes`. Nothing if the first one already misses or the last one does not.
/// @throws std::invalid_argument if a curve is empty or its arrays differ in length.
[[nodiscard]] std::optional<CacheParameters> saavedra(std::span<const StrideCurve> curves);

/// Average latency of walks with one stride by the bytes walked over, which ascend evenly.
struct SizeCurve {
  std::vector<std::int64_t> bytes;
  std::vector<double> cycles;
};

/// Wong 2010 as in Mei & Chu 2017, Eq. 2 and Fig. 5. Latency rises in one step per set: the size is where the first
/// one begins, the line size the distance from step to step, the number of sets their number; a = C / (b T).
/// A rise counts as a step if it is at least a quarter of the greatest one. With one step only, no line size shows.
/// Nothing if the latency does not rise. @throws std::invalid_argument if the arrays differ in length.
[[nodiscard]] std::optional<CacheParameters> wong(const SizeCurve& curve);

}  // namespace tomograph::classical_methods

#endif
