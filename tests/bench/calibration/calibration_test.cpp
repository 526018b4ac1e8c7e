#include <string>
#include <vector>

#include "catch.hpp"
#include "rates.hpp"

namespace {

using namespace calibration;

/// `facts` claims of one entry, of which the first `held` hold.
std::vector<Claim> claims(const std::string& key, double confidence, std::size_t facts, std::size_t held) {
  std::vector<Claim> all(facts, {.simulator = "one", .key = key, .method = "a-method", .confidence = confidence});
  for (std::size_t i = 0; i < held; ++i) all[i].holds = all[i].right = true;
  return all;
}

std::vector<Claim> together(std::vector<Claim> first, const std::vector<Claim>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

}  // namespace

TEST_CASE("a quantity of several levels is one entry, another method or band of confidence another") {
  const Claim l1{.key = "l1_data.size", .method = "first-miss", .confidence = 0.999};
  Claim other = l1;
  other.key = "constant_l15.size";
  CHECK(entry_of(other) == entry_of(l1));
  other.confidence = 0.95;
  CHECK(entry_of(other) != entry_of(l1));
  other = l1;
  other.method = "retained-lines";
  CHECK(entry_of(other) != entry_of(l1));
  other = l1;
  other.key = "l1_data.sets";
  CHECK(entry_of(other) != entry_of(l1));
  CHECK(entry_of({.key = "tlb.l1.entries"}) == entry_of({.key = "tlb.l3.entries"}));
}

TEST_CASE("the rate of an entry is Laplace's with the rate of all entries in place of one half") {
  const auto seen = together(claims("l2.size", 0.95, 100, 97), claims("l2.sets", 0.999, 900, 900));
  const Rates rates(seen);
  const double all = 998.0 / 1002;
  CHECK(rates.rate_of(entry_of(seen.front())) == Approx((97 + 2 * all) / 102));
  CHECK(rates.rate_of("never seen") == Approx(all));
}

TEST_CASE("rates of one simulator are exact on another that errs as often, whatever was claimed") {
  const auto fitted = together(claims("l2.size", 0.9, 2000, 1960), claims("l2.sets", 0.9, 2000, 2000));
  const auto judge = together(claims("l2.size", 0.9, 1000, 980), claims("l2.sets", 0.9, 1000, 1000));
  CHECK(judged(judge).calibration_error == Approx(0.09));
  const Verdict verdict = judged(claimed_by(Rates(fitted), judge));
  CHECK(verdict.calibration_error < 0.001);
  CHECK(verdict.certain == 1000);
  CHECK(verdict.wrong == 0);
}

TEST_CASE("rates of one simulator show their error on another that errs more often") {
  const auto fitted = claims("l2.size", 0.999, 2000, 2000);
  const Verdict verdict = judged(claimed_by(Rates(fitted), claims("l2.size", 0.999, 1000, 900)));
  CHECK(verdict.calibration_error == Approx(0.1).margin(0.002));
  CHECK(verdict.wrong == 100);
}

TEST_CASE("an entry should claim the worst rate of the simulators that saw it") {
  const auto good = claims("l2.size", 0.99, 998, 998);
  const auto bad = claims("l2.size", 0.99, 998, 898);
  const std::vector rates{Rates(good), Rates(bad), Rates(claims("l2.sets", 0.99, 10, 0))};
  CHECK(cautious_rate(entry_of(good.front()), rates) == Approx(0.9).margin(0.001));
}
