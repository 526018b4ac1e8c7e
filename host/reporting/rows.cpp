#include "reporting/rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "reporting/quantity.hpp"
#include "reporting/table.hpp"

namespace tomograph::host {
namespace {

using Json = nlohmann::json;

/// Columns of a triple, and the fewest of rows: pairs are what leads to what.
constexpr std::size_t triple = 3;
/// Columns that a terminal has room for.
constexpr std::size_t most_columns = 8;

/// Triples without a unit are rows like any: their last column need not be a quantity.
bool is_triples(const Json& rows, std::string_view unit) { return rows.front().size() == triple && !unit.empty(); }

std::string link_text(const Json& row, std::string_view unit) {
  return fmt::format("{} → {}: {}", quantity(row[0], ""), quantity(row[1], ""), quantity(row[2], unit));
}

std::vector<std::string> row_texts(const Json& row, std::string_view unit) {
  const std::size_t first_quantity = row.size() == triple ? 2 : 1;
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < row.size(); ++i) texts.push_back(quantity(row[i], i < first_quantity ? "" : unit));
  return texts;
}

std::vector<std::string> all_rows(const Json& rows, std::string_view unit) {
  std::vector<std::vector<std::string>> texts;
  for (const Json& row : rows) texts.push_back(row_texts(row, unit));
  return aligned_lines(texts);
}

/// The numbers of all rows, or only those that are reals.
std::vector<double> numbers_in(const Json& rows, bool only_reals) {
  std::vector<double> numbers;
  for (const Json& row : rows) {
    for (const Json& cell : row) {
      if (only_reals ? cell.is_number_float() : cell.is_number()) numbers.push_back(cell.get<double>());
    }
  }
  return numbers;
}

/// "132 rows × 94 values, 264 to 314 cycles". Integers beside reals say what a row is of, so the reals alone count.
std::string wide_rows(const Json& rows, std::string_view unit) {
  std::string text = fmt::format("{} rows × {} values", rows.size(), rows.front().size());
  std::vector<double> numbers = numbers_in(rows, true);
  if (numbers.empty()) numbers = numbers_in(rows, false);
  if (numbers.empty()) return text;
  const auto [low, high] = std::ranges::minmax(numbers);
  return text + ", " + range_text(low, high, unit);
}

/// A line for each `from`, a column for each `to`; rows where two triples would share a cell.
std::vector<std::string> matrix(const Json& triples, std::string_view unit) {
  std::map<Json, std::map<Json, std::string>> cells;
  std::set<Json> columns;
  for (const Json& row : triples) {
    columns.insert(row[1]);
    if (!cells[row[0]].emplace(row[1], quantity(row[2], unit)).second) return all_rows(triples, unit);
  }
  if (columns.size() > most_columns) return {short_rows(triples, unit)};
  std::vector<std::vector<std::string>> lines{{"→"}};
  for (const Json& to : columns) lines.front().push_back(quantity(to, ""));
  for (const auto& [from, of_row] : cells) {
    std::vector<std::string>& line = lines.emplace_back(1, quantity(from, ""));
    for (const Json& to : columns) line.push_back(of_row.contains(to) ? of_row.at(to) : "");
  }
  return aligned_lines(lines);
}

}  // namespace

bool is_rows(const Json& value) {
  if (!value.is_array() || value.empty() || !value.front().is_array() || value.front().size() < triple) return false;
  return std::ranges::all_of(value,
                             [&](const Json& row) { return row.is_array() && row.size() == value.front().size(); });
}

std::string short_rows(const Json& rows, std::string_view unit) {
  if (rows.front().size() > most_columns) return wide_rows(rows, unit);
  if (!is_triples(rows, unit)) return fmt::format("{} {}", rows.size(), rows.size() == 1 ? "row" : "rows");
  std::string first = link_text(rows.front(), unit);
  if (rows.size() == 1) return first;
  const std::string last = link_text(rows.back(), unit);
  if (rows.size() == 2) return first + ", " + last;
  return fmt::format("{} ... {} ({} values)", first, last, rows.size());
}

std::vector<std::string> full_quantity(const Json& value, std::string_view unit) {
  if (!is_rows(value)) return {quantity(value, unit)};
  if (value.front().size() > most_columns) return {short_rows(value, unit)};
  if (!is_triples(value, unit)) return all_rows(value, unit);
  if (value.size() == 1) return {quantity(value, unit)};
  return matrix(value, unit);
}

}  // namespace tomograph::host
