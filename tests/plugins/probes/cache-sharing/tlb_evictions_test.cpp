#include "analysis_tlb_evictions.hpp"
#include "catch.hpp"

using namespace tomograph;
using namespace tomograph::cache_sharing;

TEST_CASE("a page was evicted if its visit takes half of the penalty longer than its own undisturbed visit") {
  const EvictionCounter counter(80, 5);
  TestedSm tested;
  counter.add({30, 100, 45}, {10, 20, 10}, tested);
  CHECK(tested.count.tests == 3);
  CHECK(tested.count.events == 1);
  CHECK(tested.extra_latency == 135);
}

TEST_CASE("medians are by page, and leave one repetition out where asked") {
  const std::vector<Visits> repeated{{1, 10}, {2, 20}, {900, 30}};
  CHECK(medians(repeated, repeated.size()) == Visits{2, 20});
  CHECK(medians(repeated, 2) == Visits{1.5, 15});
}

TEST_CASE("noise as large as the penalty makes single visits unclear") {
  EvictionCounter quiet(80, 5);
  quiet.count_idle(std::vector<Visits>(4, Visits(12, 10)));
  CHECK(quiet.is_clear());
  EvictionCounter noisy(80, 5);
  noisy.count_idle(std::vector<Visits>{Visits(12, 10), Visits(12, 10), Visits(12, 10), Visits(12, 90)});
  CHECK_FALSE(noisy.is_clear());
}

TEST_CASE("testers whose pages stay in the levels before show nothing of the level") {
  const auto is_hidden = [](const Visits& visits) {
    EvictionCounter counter(80, 5);
    TestedSm tested;
    counter.add(visits, {10, 10, 10, 10}, tested);
    counter.keep(0, 1, 1, tested);
    return !counter.objection().empty();
  };
  CHECK_FALSE(is_hidden({10, 11, 0, 12}));
  CHECK_FALSE(is_hidden({90, 91, 0, 92}));  // evicted, which no level before hid
  CHECK(is_hidden({1, 11, 0, -1}));
}

TEST_CASE("pages of which a walk evicts some tell neither that SMs share a TLB nor that they do not") {
  const auto objection = [](std::size_t evicted) {
    EvictionCounter counter(80, 5);
    counter.idle = {1, 1344};
    counter.own = {48, 48};
    counter.keep(0, 1, 1, {{evicted, 72}, 0, 0});
    return counter.objection();
  };
  CHECK(objection(0).empty());
  CHECK(objection(72).empty());
  CHECK_FALSE(objection(36).empty());
}

TEST_CASE("what speaks against comparisons is dropped with them") {
  EvictionCounter counter(80, 5);
  counter.idle = {1, 1344};
  counter.own = {48, 48};
  counter.keep(0, 1, 1, {{36, 72}, 0, 0});
  counter.drop_objections();
  CHECK(counter.objection().empty());
}

TEST_CASE("SMs share a TLB only if each evicts the other's pages") {
  const analysis::EffectOdds yes{.absent = 0.001, .full = 0.999};
  const analysis::EffectOdds no{.absent = 0.998, .full = 0.002};
  CHECK(both_directions(yes, yes).full == Approx(0.998));
  CHECK(both_directions(yes, no).absent == Approx(0.998));
}

TEST_CASE("testers are judged by the controls") {
  EvictionCounter counter(80, 5);
  counter.idle = {0, 48};
  counter.own = {48, 48};
  const std::vector<TestedSm> all{{{48, 48}, 0, 0}, {{0, 48}, 0, 0}};
  const auto odds = counter.odds(all);
  CHECK(odds[0].full > 0.999);
  CHECK(odds[1].absent > 0.999);
}

TEST_CASE("the evidence has one row for each tester and counts its tests") {
  EvictionCounter counter(80, 5);
  counter.keep(3, 1, 5, {{2, 8}, 80, 0});
  counter.keep(3, 1, 6, {{0, 8}, 0, 0});
  CHECK(counter.tested() == 16);
  CHECK(std::get<std::vector<double>>(counter.columns().at(5).numbers) == std::vector<double>{10, 0});
}
