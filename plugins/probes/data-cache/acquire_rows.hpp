#ifndef TOMOGRAPH_DATA_CACHE_ACQUIRE_ROWS_HPP
#define TOMOGRAPH_DATA_CACHE_ACQUIRE_ROWS_HPP

#include <cstdint>
#include <optional>
#include <vector>

#include "acquire_banks.hpp"
#include "analysis_rows.hpp"

/// Rows of memory, by lines of known banks. All functions throw as Session::ask.
namespace tomograph::data_cache {

/// Bytes on either side of a line in which its row is sought: the largest row of a bank of HBM or GDDR (JEDEC JESD235,
/// JESD250).
inline constexpr std::int64_t row_reach = 2048;

/// A line, and what was found near it.
struct RowLine {
  std::int64_t line = 0;
  std::int64_t other_row = 0;        ///< a line of its bank
  std::int64_t other_bank = 0;       ///< a line of its channel that is about as far away
  std::optional<std::int64_t> mate;  ///< the nearest line of its row, if one is near
  std::optional<std::int64_t> run;   ///< lines of its row side by side, it among them; nothing if they may be more
};

/// Seeks the rows of lines of those banks that hold some lines, one of each.
[[nodiscard]] std::vector<RowLine> measure_rows(const Session& session, const EvictionSetting& setting,
                                                const MeasuredBanks& banks);

/// How loads of one bank delay each other, by the time between them, by line that has a mate.
[[nodiscard]] std::vector<RowDelays> time_rows(const Session& session, const EvictionSetting& setting,
                                               const std::vector<RowLine>& lines);

}  // namespace tomograph::data_cache

#endif
