#ifndef TOMOGRAPH_SIM_L2_LINES_LINE_LOADS_HPP
#define TOMOGRAPH_SIM_L2_LINES_LINE_LOADS_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/chase/cache_state.hpp"
#include "sim/chase/hierarchy.hpp"
#include "sim/chase/noise.hpp"
#include "sim/options.hpp"
#include "sim/random.hpp"
#include "tomograph/l2_lines.hpp"

namespace tomograph::sim {

/// The order in which places name lines: l2_lines::Evictions::line_at.
struct Places {
  l2_lines::Memory memory;
  std::int64_t step = 1;
};

/// The lines of the L2 that an experiment loads, numbered in the order of their first use. Numbers are looked up by
/// place, since walks visit places in order: memory is then read in order, too.
class UsedLines {
 public:
  /// `numbers` holds zeros, and will again when this object ends. All arguments outlive it.
  UsedLines(const Hierarchy& hierarchy, const Options& options, const Places& places,
            std::vector<std::uint32_t>& numbers);
  UsedLines(const UsedLines&) = delete;
  UsedLines& operator=(const UsedLines&) = delete;
  ~UsedLines();

  /// Numbers of a line, by its place and by itself.
  [[nodiscard]] std::uint32_t number_at(std::int64_t place) {
    if (lines_in_one_ > 1) place = place_of(line_at(place) / lines_in_one_ * lines_in_one_);
    std::uint32_t& number = (*numbers_)[static_cast<std::size_t>(place)];
    if (number == 0) number = add(place);
    return number - 1;
  }
  [[nodiscard]] std::uint32_t number_of(std::int64_t line) { return number_at(place_of(line)); }

  [[nodiscard]] std::span<const std::uint32_t> sets() const { return sets_; }
  [[nodiscard]] std::uint32_t home(std::uint32_t number) const { return homes_[number]; }
  [[nodiscard]] std::uint32_t slice(std::uint32_t number) const { return slices_[number]; }

 private:
  [[nodiscard]] std::int64_t line_at(std::int64_t place) const;
  [[nodiscard]] std::int64_t place_of(std::int64_t line) const;
  /// Returns its number plus one.
  std::uint32_t add(std::int64_t place);

  const Hierarchy* hierarchy_;
  const Options* options_;
  Places order_;
  std::int64_t lines_in_one_;            ///< lines of the experiment that a line of the L2 holds
  std::uint64_t back_;                   ///< from lines to places
  std::vector<std::uint32_t>* numbers_;  ///< by place of the first line of a line of the L2: its number plus one, or 0
  std::vector<std::size_t> places_;      ///< by number, as are the following
  std::vector<std::uint32_t> sets_;
  std::vector<std::uint32_t> homes_;
  std::vector<std::uint32_t> slices_;
};

/// The L2 during an experiment, empty at first.
class LineLoads {
 public:
  /// `lines` holds all lines that will be loaded. It and `hierarchy` outlive this.
  LineLoads(const Hierarchy& hierarchy, const Options& options, const UsedLines& lines, Random random);

  /// What serves a load, and its cycles without the SM's distance.
  struct Served {
    std::int64_t cycles;
    Level level;
  };
  Served load(std::uint32_t line, std::int64_t sm);
  /// A load of a line that the L2 does not hold. It leaves the L2 as it is.
  [[nodiscard]] Served miss(std::uint32_t line, std::int64_t sm) const;
  /// Cycles that a load by an SM takes, with the noise of timing.
  [[nodiscard]] std::uint32_t time(std::uint32_t line, std::int64_t sm) { return time(load(line, sm), line, sm); }
  /// The same for a load that was served so.
  [[nodiscard]] std::uint32_t time(const Served& served, std::uint32_t line, std::int64_t sm);

 private:
  /// Whether the partition held the line. Now it does.
  bool use(std::uint32_t partition, std::uint32_t line);

  const Hierarchy* hierarchy_;
  const UsedLines* lines_;
  bool noisy_;
  Random random_;
  Outliers outliers_;
  Rule rule_ = Rule::no_eviction;
  std::vector<CacheState> partitions_;
  std::vector<std::uint32_t> near_;                   ///< by SM: its partition
  std::vector<std::vector<std::int32_t>> distances_;  ///< by SM and slice
};

}  // namespace tomograph::sim

#endif
