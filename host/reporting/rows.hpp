#ifndef TOMOGRAPH_HOST_REPORTING_ROWS_HPP
#define TOMOGRAPH_HOST_REPORTING_ROWS_HPP

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace tomograph::host {

/// Whether a value is a list of rows of equally many columns, three or more. Of a triple [from, to, value] the last
/// has the fact's unit, of longer rows all but the first.
[[nodiscard]] bool is_rows(const nlohmann::json& value);

/// Such rows on one line: triples of a quantity as "0 → 1: 392 GB/s ... 3 → 1: 190 GB/s (6 values)", rows of more than
/// eight columns as "132 rows × 94 values, 264 to 314 cycles", others by their number.
[[nodiscard]] std::string short_rows(const nlohmann::json& rows, std::string_view unit);

/// A fact's value in full, in one or more lines: several triples of a quantity as a matrix, several longer rows one
/// below another, columns aligned. More than eight columns are as short_rows() has them, anything else as quantity().
[[nodiscard]] std::vector<std::string> full_quantity(const nlohmann::json& value, std::string_view unit);

}  // namespace tomograph::host

#endif
