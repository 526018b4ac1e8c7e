#include "analysis_rows.hpp"
#include "catch.hpp"

namespace {

using namespace tomograph::data_cache;

/// A bank whose rows have `rows` as lines. The pairs that conflict are those of two rows.
BankLines bank_of(const std::vector<std::vector<std::int64_t>>& rows) {
  BankLines bank;
  std::vector<std::size_t> row_of;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    bank.lines.insert(bank.lines.end(), rows[row].begin(), rows[row].end());
    row_of.resize(bank.lines.size(), row);
  }
  for (const LinePair& pair : all_pairs(bank.lines.size())) {
    if (row_of[pair.first] != row_of[pair.second]) bank.conflicts.push_back(pair);
  }
  return bank;
}

}  // namespace

TEST_CASE("a row begins where lines conflict with those before") {
  const std::vector<std::vector<std::int64_t>> rows{{10, 11, 70, 71}, {130, 131, 190, 191}, {250, 251}};
  BankLines bank = bank_of(rows);
  CHECK(rows_of(bank).lines == rows);
  CHECK(rows_of(bank).agreement == 1);
  // One conflict that noise hides changes nothing but the agreement.
  std::erase(bank.conflicts, LinePair{1, 4});
  CHECK(rows_of(bank).lines == rows);
  CHECK(rows_of(bank).agreement == Approx(1 - 1.0 / 45));
  // A line that refreshes delayed whenever it was tested lies in another bank.
  bank.lines.push_back(900);
  bank.conflicts.emplace_back(0, 10);
  CHECK(rows_of(bank).lines == rows);
}

TEST_CASE("the largest rows tell how many lines a row has at least, and how many of them lie side by side") {
  const std::vector<Rows> banks{rows_of(bank_of({{10, 11, 70, 71}, {130, 131, 190, 191}, {250, 251, 310}})),
                                rows_of(bank_of({{14, 15}, {134, 135, 194, 195}}))};
  const auto shape = shape_of(banks);
  REQUIRE(shape);
  CHECK(shape->lines == 4);
  CHECK(shape->rows == 3);
  CHECK(shape->run == 2);
  CHECK_FALSE(shape_of(std::vector<Rows>{rows_of(bank_of({{1, 2, 7}, {9, 10, 11}}))})->run);
  CHECK_FALSE(shape_of({}));
}
