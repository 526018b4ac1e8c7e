#include "analysis_noc.hpp"
#include "catch.hpp"

using namespace tomograph::throughput;

namespace {

/// SMs that read at this rate in each of three repetitions.
Rates reading(std::size_t sms, double rate) { return {.sms = Sms(sms), .repetitions = {rate, rate, rate}}; }

}  // namespace

TEST_CASE("a group that reads less than its SMs alone and than the whole device is limited by its own link") {
  CHECK(other_limit({reading(8, 300), reading(8, 310)}, reading(1, 60), reading(16, 600)).empty());
}

TEST_CASE("a group that reads as much as its SMs alone, or as all SMs together, is limited by something else") {
  CHECK_FALSE(other_limit({reading(8, 300), reading(8, 470)}, reading(1, 60), reading(16, 900)).empty());
  CHECK_FALSE(other_limit({reading(8, 300), reading(8, 310)}, reading(1, 60), reading(16, 330)).empty());
}

TEST_CASE("the rates of groups add up repetition by repetition") {
  Rates first = reading(2, 100);
  first.repetitions = {90, 100, 110};
  const Rates sum = sum_of({first, reading(2, 50)}, 1e9);
  CHECK(sum.repetitions == std::vector<double>{140, 150, 160});
  CHECK(sum.median() == 150);
  CHECK(sum.clock_hz == 1e9);
}

TEST_CASE("groups of the most frequent size stand for all, spread evenly") {
  const std::vector<Sms> groups{{0, 1}, {2, 3}, {4, 5}, {6, 7}, {8, 9}, {10, 11, 12}};
  CHECK(typical_groups(groups, 8).size() == 5);
  CHECK(typical_groups(groups, 2) == std::vector<Sms>{{0, 1}, {4, 5}});
  CHECK(typical_groups({{0}, {1, 2}}, 8) == std::vector<Sms>{{1, 2}});
  CHECK(typical_groups({}, 8).empty());
}

TEST_CASE("SMs of one TPC that share no constant L1.5 show that groups are not those of the chip") {
  CHECK(nest({{0, 1}, {2, 3}, {4, 5}}, {{0, 1, 2, 3}, {4, 5}}));
  CHECK_FALSE(nest({{0, 5}, {1, 2}}, {{0, 1}, {2, 3}, {4, 5}}));
  CHECK(nest({{0, 5}}, {}));
}

TEST_CASE("one slow group does not move the median over groups") {
  CHECK(medians_over_groups({reading(2, 100), reading(2, 60), reading(2, 102)}) == std::vector<double>{100, 100, 100});
}
