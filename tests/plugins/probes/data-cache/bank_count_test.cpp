#include <cstddef>
#include <random>
#include <vector>

#include "analysis_bank_count.hpp"
#include "catch.hpp"

namespace {

using namespace tomograph::data_cache;

/// Lines that fell into banks evenly.
BankSample shared_out(std::size_t lines, std::size_t banks) {
  BankSample sample{std::vector<std::size_t>(banks, lines / banks)};
  for (std::size_t i = 0; i < lines % banks; ++i) ++sample.groups[i];
  return sample;
}

/// Lines that fell into banks at random, of which each loses any of its lines with this probability.
BankSample random_sample(std::size_t lines, std::size_t banks, double split_share, std::mt19937_64& random) {
  std::vector<std::size_t> held(banks);
  for (std::size_t line = 0; line < lines; ++line) ++held[random() % banks];
  BankSample sample;
  for (std::size_t own : held) {
    if (own > 1 && std::bernoulli_distribution(split_share)(random)) {
      const std::size_t part = 1 + random() % (own / 2);
      sample.groups.push_back(part);
      own -= part;
    }
    if (own > 0) sample.groups.push_back(own);
  }
  return sample;
}

}  // namespace

TEST_CASE("banks that hold none of the lines count where the samples are small") {
  const auto all =
      count_banks(std::vector{shared_out(160, 32), shared_out(160, 32), shared_out(160, 31), shared_out(160, 32)}, 0);
  REQUIRE(all);
  CHECK(all->value == 32);
  CHECK(all->probability > 0.9);
  const auto few = count_banks(std::vector{shared_out(20, 15)}, 0);
  REQUIRE(few);
  CHECK(few->value > 20);
  CHECK(few->probability < 0.2);
  CHECK_FALSE(count_banks({}, 0));
}

TEST_CASE("two lines of one row that a bank holds alone are no further bank") {
  BankSample ten = shared_out(47, 8);
  ten.groups.insert(ten.groups.end(), {1, 1});
  const std::vector<BankSample> one_in_three{shared_out(46, 9), ten, shared_out(46, 9)};
  CHECK(count_banks(one_in_three, 0.06)->value == 9);
}

TEST_CASE("few lines where all banks hold many are part of a bank") {
  // Two simulated GPUs, of 36 and 24 banks. Of the first, the conflicts of one line were overlooked.
  BankSample one_alone = shared_out(457, 36);
  one_alone.groups.push_back(1);
  CHECK(count_banks(std::vector{one_alone, shared_out(126, 36)}, 0.004)->value == 36);
  BankSample two_pairs = shared_out(242, 23);
  two_pairs.groups.insert(two_pairs.groups.end(), {2, 2});
  const auto count = count_banks(std::vector{two_pairs, shared_out(238, 24), shared_out(255, 24)}, 0.03);
  CHECK(count->value == 24);
  CHECK(count->probability > 0.99);
}

TEST_CASE("a number of banks that is claimed at 0.99 is right in 99 of 100 channels, also where banks are split") {
  std::mt19937_64 random(1);
  int claimed = 0;
  int right = 0;
  for (int channel = 0; channel < 200; ++channel) {
    const std::size_t banks = 8 + random() % 40;
    const double split_share = channel % 2 == 0 ? 0.001 : 0.02;
    std::vector<BankSample> samples;
    for (int set = 0; set < 3; ++set) {
      samples.push_back(random_sample(100 + random() % 150, banks, split_share, random));
    }
    const auto count = count_banks(samples, 0);
    if (count->probability < 0.99) continue;
    ++claimed;
    right += count->value == static_cast<std::int64_t>(banks) ? 1 : 0;
  }
  CHECK(claimed > 50);
  CHECK(claimed - right <= 1);
}
