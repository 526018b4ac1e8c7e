#ifndef TOMOGRAPH_DATA_CACHE_ANALYSIS_PARTITION_HPP
#define TOMOGRAPH_DATA_CACHE_ANALYSIS_PARTITION_HPP

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tomograph/analysis/latency_modes.hpp"

/// Partitions of a shared cache, from the latencies with which SMs load the same lines. All latencies are net.
namespace tomograph::data_cache {

/// Lines that each pair of SMs, and each SM by itself, is compared by.
inline constexpr std::int64_t compared_lines = 64;

/// Latencies with which one SM finds lines that another SM has just loaded.
struct FirstTouch {
  std::int64_t loader = 0;
  std::int64_t reader = 0;
  std::vector<double> first;   ///< first load of each line by the reader
  std::vector<double> second;  ///< second load of each line by the reader
};

/// Which SMs are near which part of a shared cache.
struct Partitions {
  std::vector<std::int64_t> of_sm;  ///< partition of each SM, numbered by its lowest SM
  std::int64_t count = 0;
  bool replicated = false;  ///< a far line is near after its first load
  /// Latencies within a partition, and from another one, which are none if there is one partition. Loads of random
  /// lines, or the means over SMs of lines that all SMs load.
  std::vector<double> near;
  std::vector<double> far;
  std::vector<FirstTouch> matrix;
  /// Where there is one partition: the least distance of another one, in cycles, that noise would not hide.
  double visible_distance = 0;
  /// Cycles by which latencies of one mode may differ (analysis::ModeResolution).
  double jitter = analysis::ModeResolution{}.absolute;
  /// Some SMs load others' lines later on average, but noise hides which lines; or some are near no line, or near most
  /// lines but not all; or a single SM is near some only.
  bool undecided = false;
  /// Lines are often farther away at their next load, so that some of what seems far is a miss.
  bool loses_lines = false;
  /// Partitions keep copies, but the readers of some are near no line that another partition's SM has loaded: no line
  /// belongs to them, so that they may look like the loader's.
  bool without_lines = false;

  /// Whether the latencies contradict what grouping by first touches rests on.
  [[nodiscard]] bool contradicted() const { return undecided || loses_lines || without_lines; }
};

/// Extra latencies of first loads from another partition.
struct Crossing {
  double least = 0;
  double most = 0;  ///< what is later came from memory
};

/// Groups SMs by whether they find lines near that one of them has just loaded. A replicated partition keeps copies of
/// the lines that its SMs load: the copies are near every SM of the loader's partition and far from the others.
class FirstTouchGrouping {
 public:
  /// Whether each reader's TLB knew the pages of the lines. If not, some near lines seem farther away.
  enum class Translation { unknown, known };

  explicit FirstTouchGrouping(std::int64_t sm_count, Translation translation = Translation::unknown);

  /// SMs without a partition yet. The first of them loads next, and all of them read what it loaded. Empty at the end.
  [[nodiscard]] std::span<const std::int64_t> open() const { return open_; }

  /// Takes the first touches of all open SMs after the first of them has loaded.
  void add(std::vector<FirstTouch> touches);

  /// What the touches say. Requires that no SM is open.
  [[nodiscard]] Partitions partitions() const;

 private:
  std::vector<std::int64_t> open_;
  Translation translation_;
  std::optional<Crossing> crossing_;
  bool near_none_ = false;   ///< as Partitions::without_lines
  bool is_unclear_ = false;  ///< too many lines of a reader were far for one partition, and too few for two
  Partitions found_;
};

/// Cycles by which the clock counts, as far as these loads show it.
[[nodiscard]] double clock_of(const FirstTouch& touch);

/// Passes over the lines after which the standard error of a line's median is 1.5 cycles, or less of short latencies,
/// at most 64. Sets `found.visible_distance` and `found.jitter`. Requires a FirstTouch of an SM by itself.
[[nodiscard]] std::int64_t passes_to_see_near_lines(Partitions& found);

/// Medians over `passes` of each line.
[[nodiscard]] std::vector<double> medians_by_line(std::span<const double> loads, std::int64_t passes);

/// Partitions without copies: SMs of one partition are near the same lines, and each line is near exactly one
/// partition, but for those that the cache has lost. `latencies` has the median of each line by SM. Leaves `found`
/// unchanged if latencies do not split so, with or without what all loads of an SM or a line have in common.
void split_by_near_lines(Partitions& found, const std::vector<std::vector<double>>& latencies);

/// Whether latencies vary so much that a far partition may be hidden among them.
[[nodiscard]] bool noise_hides_partitions(const Partitions& found);

/// A mean with its standard error.
struct Mean {
  double mean = 0;
  double error = 0;
};

/// Mean of the loads up to Tukey's outer fence (1977), three interquartile ranges above the upper quartile: slices lie
/// at many distances, and late loads far beyond. False alarms: 1 in 850,000 loads, if they are normal.
/// @throws std::invalid_argument if the sample is empty.
[[nodiscard]] Mean undelayed_mean(std::span<const double> sample);

}  // namespace tomograph::data_cache

#endif
