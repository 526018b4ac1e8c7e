#include "acquire_rows.hpp"
#include "analysis_rows.hpp"
#include "catch.hpp"
#include "one_channel.hpp"

using namespace tomograph;
using namespace tomograph::data_cache;

TEST_CASE("a near line shares the row if lines of the bank delay it, but not the line itself") {
  constexpr double conflict = 90;
  const std::vector<double> late{85, 3, 92};  // one of three was overlooked
  CHECK(shares_row({.after_line = -3, .after_witnesses = late}, conflict));
  CHECK_FALSE(shares_row({.after_line = 88, .after_witnesses = late}, conflict));
  CHECK(shares_bank({.after_line = 88, .after_witnesses = late}, conflict));
  CHECK_FALSE(shares_bank({.after_line = 2, .after_witnesses = {1, 86, 0}}, conflict));
}

TEST_CASE("a run ends at lines that were tested") {
  CHECK(run_around(10, {9, 11, 14}, {7, 8, 9, 11, 12, 13, 14}) == 3);
  CHECK(run_around(10, {14}, {9, 11, 14}) == 1);
  CHECK_FALSE(run_around(10, {9, 11}, {9, 11, 12}));
}

TEST_CASE("a majority is more than half") {
  const auto most = majority(std::vector<std::int64_t>{2, 2, 4});
  REQUIRE(most);
  CHECK(most->value == 2);
  CHECK(most->agreeing == 2);
  CHECK_FALSE(majority(std::vector<std::int64_t>{2, 4}));
  CHECK_FALSE(majority({}));
}

TEST_CASE("rows that are open soon after a load and closed later are neither") {
  const RowDelays at_once{.apart = 0, .same_row = {0, 2}, .other_row = {90, 88}};
  const RowDelays open{.apart = 100, .same_row = {-30, -28}, .other_row = {10, 11}};
  const RowDelays closed{.apart = 1000, .same_row = {1, -1}, .other_row = {0, 0}};
  CHECK(open_rows(std::vector{at_once, open})->stay_open);
  CHECK_FALSE(open_rows(std::vector{at_once, closed})->stay_open);
  CHECK_FALSE(open_rows(std::vector{at_once, open, closed}));
  CHECK_FALSE(open_rows(std::vector{at_once}));
}

namespace {

std::vector<RowLine> measured_rows(const Session& session) {
  return measure_rows(session, setting(), measure_banks(session, setting(), lines_at_random(120, 1), {}));
}

}  // namespace

TEST_CASE("the run of a row and whether it stays open are found") {
  for (const std::int64_t saved : {0, 40}) {
    INFO(saved);
    Device device(
        gpu_with_channel({.banks = 12, .row = 2048, .run = 1024, .conflict_cycles = 100, .open_row_cycles = saved}));
    const std::vector<RowLine> rows = measured_rows(device.session());
    REQUIRE(rows.size() >= 8);
    for (const RowLine& row : rows) CHECK(row.run == 4);
    const auto delays = time_rows(device.session(), setting(), rows);
    const auto open = open_rows(delays);
    REQUIRE(open);
    CHECK(open->stay_open == (saved > 0));
    CHECK(open->agreeing == rows.size());
  }
}

TEST_CASE("lines that share no row with any near line tell no run, since rows may close after each load") {
  Device device(gpu_with_channel({.banks = 12, .row = 256, .run = 256, .conflict_cycles = 100}));
  const std::vector<RowLine> rows = measured_rows(device.session());
  REQUIRE(rows.size() >= 8);
  for (const RowLine& row : rows) CHECK_FALSE(row.run);
  CHECK(time_rows(device.session(), setting(), rows).empty());
}
