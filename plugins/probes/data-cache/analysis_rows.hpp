#ifndef TOMOGRAPH_DATA_CACHE_ANALYSIS_ROWS_HPP
#define TOMOGRAPH_DATA_CACHE_ANALYSIS_ROWS_HPP

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analysis_banks.hpp"

/// Rows of memory. Two lines of a bank conflict unless they lie in one row.
namespace tomograph::data_cache {

/// Lines of one bank, ascending, and the pairs of them (by place) that conflict.
struct BankLines {
  std::vector<std::int64_t> lines;
  std::vector<LinePair> conflicts;
};

/// The lines of a bank divided into rows.
struct Rows {
  std::vector<std::vector<std::int64_t>> lines;  ///< by row, ascending
  double agreement = 1;                          ///< share of the pairs that conflict if, and only if, rows differ
};
/// A row begins where a line conflicts with most lines of the row before. A line that conflicts with few others lies in
/// another bank and is left out.
[[nodiscard]] Rows rows_of(const BankLines& bank);

/// What the largest rows of some banks have in common. Any row may be larger: its further lines may lie elsewhere.
struct RowShape {
  std::int64_t lines = 0;  ///< of the largest
  std::size_t rows = 0;    ///< that are as large
  /// Lines side by side that lie in a row, if that is the same throughout.
  std::optional<std::int64_t> run = {};
};
/// Nothing without a row.
[[nodiscard]] std::optional<RowShape> shape_of(std::span<const Rows> banks);

}  // namespace tomograph::data_cache

#endif
