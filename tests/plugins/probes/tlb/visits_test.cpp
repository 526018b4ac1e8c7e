#include <bit>
#include <functional>

#include "analysis_visits.hpp"
#include "catch.hpp"
#include "tomograph/analysis/queue_policies.hpp"
#include "tomograph/analysis/tree_plru.hpp"

using namespace tomograph;
using namespace tomograph::tlb;

namespace {

using Hits = std::function<std::vector<bool>(std::span<const std::int64_t>, std::size_t)>;

/// What the timed visits of some sequences to a set of this policy agree with.
Agreement agreement_of(std::size_t ways, const Hits& hits, bool misread = false) {
  Agreement found;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const Visits visits = telling_visits(ways + 1, 48, {}, seed);
    const auto all = hits(visits.order, ways);
    std::vector<bool> missed;
    for (const std::size_t visit : visits.timed) missed.push_back(!all[visit]);
    if (misread) missed[visits.walked + seed] = !missed[visits.walked + seed];
    found.add(visits, missed);
  }
  return found;
}

}  // namespace

TEST_CASE("visits tell LRU, FIFO and tree-PLRU from each other, for any number of ways") {
  for (const std::size_t ways : {3U, 4U, 8U, 13U, 16U, 64U, 240U}) {
    CAPTURE(ways);
    const Agreement lru = agreement_of(ways, analysis::lru_hits);
    CHECK((lru.sequences == 8 && lru.lru == 8));
    CHECK(policy_of(lru).name == "lru");
    CHECK(policy_of(agreement_of(ways, analysis::fifo_hits)).name == "fifo");
    if (!std::has_single_bit(ways)) continue;
    CHECK(policy_of(agreement_of(ways, analysis::tree_plru_hits_when_full)).name == "tree-plru");
  }
}

TEST_CASE("visits that agree with no policy are not LRU, unless some agree now and then") {
  const Agreement none = agreement_of(8, analysis::lru_hits, true);
  CHECK(policy_of(none).name == "not-lru");
  Agreement some = none;
  some.lru = 1;
  some.none = 7;
  CHECK(policy_of(some).name.empty());
}

TEST_CASE("a walk that hits leaves the state of a set unknown, so that the visits after it tell nothing") {
  const auto hits = [](std::span<const std::int64_t> pages, std::size_t) {
    return std::vector<bool>(pages.size(), true);
  };
  const Agreement found = agreement_of(8, hits);
  CHECK(found.sequences == 0);
  CHECK(policy_of(found).name.empty());
}
