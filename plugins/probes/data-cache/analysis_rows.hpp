#ifndef TOMOGRAPH_DATA_CACHE_ANALYSIS_ROWS_HPP
#define TOMOGRAPH_DATA_CACHE_ANALYSIS_ROWS_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <vector>

/// Rows of memory: lines of one bank that do not delay each other, and whether a row stays open after a load.
namespace tomograph::data_cache {

/// What a near line takes at once after others, beyond what it takes after a line of another bank: cycles.
struct NearLine {
  double after_line = 0;                ///< whose row is sought
  std::vector<double> after_witnesses;  ///< lines in other rows of that one's bank
};

/// Whether a near line is of the bank: most witnesses delay it by at least half of what a conflict does. Rows that were
/// open before change latencies by less.
[[nodiscard]] bool shares_bank(const NearLine& near, double conflict);
/// Whether it is also of the row.
[[nodiscard]] bool shares_row(const NearLine& near, double conflict);

/// Number of lines side by side that are in a row, `line` among them. Nothing if a line beside them was not tested, or
/// without any mate: where rows close after each load, lines of one row delay each other as those of others do.
[[nodiscard]] std::optional<std::int64_t> run_around(std::int64_t line, const std::set<std::int64_t>& mates,
                                                     const std::set<std::int64_t>& tested);

/// What most of the results say.
struct Majority {
  std::int64_t value = 0;
  std::size_t agreeing = 0;
  std::size_t results = 0;
};
[[nodiscard]] std::optional<Majority> majority(std::span<const std::int64_t> results);

/// By how much one load delays another of the same bank that follows it, by bank: cycles beyond what a load of another
/// bank delays it.
struct RowDelays {
  std::int64_t apart = 0;         ///< cycles between the loads; 0: at once
  std::vector<double> same_row;   ///< after a load of the row
  std::vector<double> other_row;  ///< after a load of another row
};

/// Whether a row stays open for a load that follows.
struct OpenRows {
  bool stay_open = false;
  std::size_t agreeing = 0;  ///< banks that say so, at the distance at which fewest do
  std::size_t banks = 0;
};
/// Where a row is open, a load of it takes less than one of another row. The first delays are those of loads at once,
/// where the two differ most. Nothing if rows are open at one distance and closed at another.
[[nodiscard]] std::optional<OpenRows> open_rows(std::span<const RowDelays> delays);

}  // namespace tomograph::data_cache

#endif
