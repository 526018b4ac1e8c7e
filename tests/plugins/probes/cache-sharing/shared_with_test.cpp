#include "analysis_counts.hpp"
#include "analysis_shared_with.hpp"
#include "catch.hpp"

namespace {

using namespace tomograph;
using namespace tomograph::cache_sharing;

const std::vector<std::string> names{"l1_data", "read_only", "texture"};

analysis::EffectEvidence evicts(bool all) { return analysis::effect_evidence({0, 64}, {64, 64}, {all ? 64U : 0U, 64}); }

/// Every pair evicts each other's lines or does not.
Directions directions(bool l1_and_read_only, bool l1_and_texture, bool read_only_and_texture) {
  Directions all;
  const auto set = [&](std::size_t one, std::size_t other, bool shared) {
    all[{one, other}].evicted = all[{other, one}].evicted = evicts(shared);
  };
  set(0, 1, l1_and_read_only);
  set(0, 2, l1_and_texture);
  set(1, 2, read_only_and_texture);
  return all;
}

}  // namespace

TEST_CASE("every path is compared with every other one, in both directions") {
  CHECK(ordered_pairs(3).size() == 6);
  CHECK(ordered_pairs(1).empty());
}

TEST_CASE("paths that evict each other's lines share a cache, with the sum of the errors") {
  const SharedWith found = shared_with(names, directions(false, false, true), 2);
  CHECK(found.same == std::vector<std::string>{"read_only"});
  CHECK(found.compared == std::vector<std::string>{"l1_data", "read_only"});
  CHECK(found.undecided.empty());
  CHECK((found.error > 0 && found.error < 0.01));
  CHECK(shared_with(names, directions(false, false, true), 0).same.empty());
}

TEST_CASE("two paths of one cache of which only one evicts a third path's lines contradict each other") {
  const SharedWith found = shared_with(names, directions(true, false, true), 0);
  CHECK(found.undecided ==
        "read_only and texture evict each other's lines, but only one of them evicts those of l1_data");
}

TEST_CASE("an undecided verdict names the other cache and the reason") {
  Directions unknown = directions(false, false, false);
  unknown[{0, 1}].evicted = unknown[{1, 0}].evicted = {};
  CHECK_THAT(shared_with(names, unknown, 0).undecided, Catch::Matchers::StartsWith("whether it is read_only: "));
}

TEST_CASE("warps that evict each other's lines as one warp does its own use the same cache") {
  const std::vector<WarpPair> pairs{{{64, 64}, {64, 64}, {0, 64}}, {{0, 64}, {0, 64}, {0, 64}}};
  const auto odds = same_cache_odds({64, 64}, pairs);
  CHECK(odds[0].full > 0.999);
  CHECK(odds[1].absent > 0.999);
  CHECK(all_sure(odds, 0.001));
  CHECK_FALSE(all_sure(std::vector{odds[0], analysis::EffectOdds{.absent = 0.5, .full = 0.5}}, 0.001));
}
