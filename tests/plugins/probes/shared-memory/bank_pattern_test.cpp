#include <stdexcept>

#include "analysis_bank_pattern.hpp"
#include "catch.hpp"

using namespace tomograph::shared_memory;

namespace {

constexpr std::int64_t unit = 4;

/// Whether accesses at 0 and at each multiple of the unit conflict, by definition.
std::vector<bool> conflicts_of(const BankPattern& pattern, std::size_t count) {
  std::vector<bool> conflicts;
  for (std::size_t i = 1; i <= count; ++i) {
    const auto distance = static_cast<std::int64_t>(i) * unit;
    const bool same_bank = distance / pattern.interleave % pattern.count == 0;
    const bool same_row = distance / (pattern.count * pattern.width) == 0;
    conflicts.push_back(same_bank && !same_row);
  }
  return conflicts;
}

std::vector<std::int64_t> strided(std::int64_t stride) {
  std::vector<std::int64_t> offsets;
  for (std::int64_t lane = 0; lane < 32; ++lane) offsets.push_back(lane * stride);
  return offsets;
}

}  // namespace

TEST_CASE("number, width and interleave of banks follow from which distances conflict") {
  for (const BankPattern& pattern :
       {BankPattern{32, 4, 4}, {16, 4, 4}, {32, 8, 8}, {32, 8, 4}, {64, 8, 8}, {8, 16, 4}, {24, 4, 4}, {1, 8, 8}}) {
    const auto found = bank_pattern(conflicts_of(pattern, 512), unit);
    INFO(pattern.count << " banks of " << pattern.width << " B, interleave " << pattern.interleave);
    if (pattern.count == 1) {
      CHECK_FALSE(found);
    } else {
      REQUIRE(found);
      CHECK(*found == pattern);
    }
  }
}

TEST_CASE("a single distance that contradicts the pattern, or one run alone, gives none") {
  auto conflicts = conflicts_of({32, 4, 4}, 512);
  conflicts[100] = true;
  CHECK_FALSE(bank_pattern(conflicts, unit));
  CHECK_FALSE(bank_pattern(conflicts_of({32, 4, 4}, 63), unit));
  CHECK_FALSE(bank_pattern(std::vector<bool>(512, false), unit));
  CHECK_THROWS_AS(bank_pattern(conflicts, 0), std::invalid_argument);
}

TEST_CASE("strides of 32 banks take as many passes as their greatest common divisor with 32") {
  // Mei & Chu 2017, section 6.2.
  for (const auto& [stride, degree] : {std::pair{0, 1}, {1, 1}, {2, 2}, {3, 1}, {4, 4}, {6, 2}, {24, 8}, {32, 32}}) {
    CHECK(bank_passes({32, 4, 4}, 32, 4, strided(4 * stride)) == degree);
  }
}

TEST_CASE("Kepler's strides take the passes of Figs. 18 and 19") {
  CHECK(bank_passes({32, 8, 4}, 32, 4, strided(8)) == 1);
  CHECK(bank_passes({32, 8, 4}, 32, 4, strided(24)) == 2);
  CHECK(bank_passes({32, 8, 8}, 32, 4, strided(24)) == 1);
}

TEST_CASE("wide accesses touch several banks, and lanes that are not served together take turns") {
  CHECK(bank_passes({32, 4, 4}, 32, 8, strided(8)) == 2);
  CHECK(bank_passes({32, 4, 4}, 32, 16, strided(16)) == 4);
  CHECK(bank_passes({32, 4, 4}, 32, 16, strided(0)) == 1);
  CHECK(bank_passes({16, 4, 4}, 16, 4, strided(4)) == 2);
  CHECK(bank_passes({16, 4, 4}, 16, 4, strided(0)) == 2);
  CHECK_THROWS_AS(bank_passes({32, 4, 4}, 0, 4, strided(0)), std::invalid_argument);
}

TEST_CASE("two clusters are told apart only where the gap between them is four times their spread") {
  const std::vector<double> clear{23.0, 23.1, 25.0, 23.05, 24.95};
  REQUIRE(cluster_threshold(clear, 0.5));
  CHECK(*cluster_threshold(clear, 0.5) == Approx(24.025));
  CHECK_FALSE(cluster_threshold(clear, 2));
  CHECK_FALSE(cluster_threshold(std::vector<double>{23, 23.6, 25, 25.7}, 0.5));
  CHECK_FALSE(cluster_threshold(std::vector<double>{23, 23, 23}, 0.5));
  CHECK_FALSE(cluster_threshold(std::vector<double>{}, 0.5));
}

TEST_CASE("times follow the passes if more passes always take longer, by however much") {
  const std::vector<std::int64_t> passes{1, 2, 1, 32};
  CHECK(follow_passes(std::vector<double>{23, 25, 23.1, 400}, passes));
  CHECK_FALSE(follow_passes(std::vector<double>{23, 23.05, 23.1, 400}, passes));
  CHECK_THROWS_AS(follow_passes(std::vector<double>{23}, passes), std::invalid_argument);
}
