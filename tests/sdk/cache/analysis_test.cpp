#include <vector>

#include "analysis_capacity.hpp"
#include "analysis_knee.hpp"
#include "catch.hpp"
#include "tomograph/cache/sets.hpp"

using namespace tomograph;

namespace {

cache::Retained seen(std::int64_t sampled, std::int64_t misses) {
  return {.nodes = sampled, .sampled = sampled, .hits = sampled - misses, .repeats = 1, .evicted = 0, .latencies = {}};
}

constexpr analysis::Threshold certain{.cycles = 100, .false_miss = 0, .false_hit = 0};
constexpr analysis::Threshold noisy{.cycles = 100, .false_miss = 1e-3, .false_hit = 0};

}  // namespace

TEST_CASE("a footprint fits if no more of its nodes miss than are misread") {
  CHECK(cache::fits(seen(4096, 0), certain));
  CHECK_FALSE(cache::fits(seen(4096, 1), certain));
  // 0.8 misread loads are plausible, and three are not rare enough.
  CHECK(cache::fits(seen(4096, 3), noisy));
  CHECK_FALSE(cache::fits(seen(4096, 4), noisy));
}

namespace {

/// `misses` in 16 repeats that test all of 1024 lines each.
cache::Retained repeated(std::int64_t misses) {
  constexpr std::int64_t repeats = 16;
  return {.nodes = 1024,
          .sampled = repeats * 1024,
          .hits = repeats * 1024 - misses,
          .repeats = repeats,
          .evicted = 0,
          .latencies = {}};
}

}  // namespace

TEST_CASE("the knee lies before the first size that misses once in each repeat") {
  const std::vector<cache::SweepPoint> sizes{{1024, repeated(0)}, {1152, repeated(0)}, {1280, repeated(17)}};
  const cache::KneeBytes knee = cache::knee_of(sizes, certain);
  CHECK(knee.last == 1152);
  CHECK(knee.surely_fits == 1152);
  CHECK(knee.may_fit == 1152);
}

TEST_CASE("a knee that misread loads blur lies between the sizes that surely fit and that surely do not") {
  const std::vector<cache::SweepPoint> sizes{{1024, repeated(5)},  {1152, repeated(4)},  {1280, repeated(9)},
                                             {1408, repeated(14)}, {1536, repeated(22)}, {1664, repeated(36)}};
  const cache::KneeBytes knee = cache::knee_of(sizes, noisy);
  CHECK(knee.surely_fits == 1152);
  CHECK(knee.last == 1280);
  CHECK(knee.may_fit == 1408);
}

TEST_CASE("there is no knee behind a size that does not fit") {
  const std::vector<cache::SweepPoint> sizes{{1024, repeated(40)}, {1152, repeated(60)}};
  CHECK(cache::knee_of(sizes, certain).last == 0);
}

TEST_CASE("lines beyond the knee overflow evenly if twice as many lines miss twice as often") {
  CHECK(cache::overflows_evenly(seen(4160, 256), seen(4224, 512)));
  CHECK_FALSE(cache::overflows_evenly(seen(4160, 256), seen(4224, 256)));
  CHECK(cache::overflows_evenly(seen(4160, 4160), seen(4224, 4224)));
}

TEST_CASE("an index is the remainder if that makes more sets than any XOR of address bits") {
  const std::vector<cache::ConflictGroup> groups{{{0, 5, 10}}, {{1, 6, 16}}, {{2, 12, 22}}};
  const cache::Sets remainder = cache::index_of(groups, 128, 0xF80);
  CHECK(remainder.modulus == 5);
  CHECK(remainder.differences == 6);
  CHECK(remainder.confirming == 5);
  const std::vector<cache::ConflictGroup> bits{{{0, 4, 8, 16}}};
  const cache::Sets linear = cache::index_of(bits, 128, 0xF80);
  CHECK_FALSE(linear.modulus);
  CHECK(linear.index.plain_bits == std::vector<unsigned>{7, 8});
}

TEST_CASE("a plateau is what two undisturbed counts show, and none without them") {
  const auto retaining = [](std::int64_t lines) {
    return cache::SweepPoint{400 * 128, {.nodes = 400, .sampled = 400, .hits = lines}};
  };
  cache::Capacity found{.first_miss_bytes = 192 * 128, .retained_bytes = 234 * 128, .plateau = true};
  cache::read_undisturbed(found, std::vector{retaining(235), retaining(234), retaining(235)}, 128);
  CHECK(found.plateau);
  CHECK(found.bytes(128) == 235 * 128);
  const cache::Capacity plateau = found;
  cache::read_undisturbed(found, std::vector{retaining(236), retaining(235), retaining(234)}, 128);
  CHECK_FALSE(found.plateau);
  found = plateau;
  cache::read_undisturbed(found, std::vector{retaining(234), retaining(234), retaining(234)}, 128);
  CHECK_FALSE(found.plateau);
  found = plateau;
  cache::read_undisturbed(found, {}, 128);
  CHECK_FALSE(found.plateau);
  CHECK_FALSE(found.sharp);
}

TEST_CASE("lines behind a footprint that are there though nobody loaded them make a plateau prove nothing") {
  cache::Capacity found{.retained_bytes = 56 * 128, .most_bytes = 57 * 128, .plateau = true, .sharp = true};
  cache::read_behind(found, 0, 128);
  CHECK(found.sharp);
  cache::read_behind(found, 2, 128);
  CHECK_FALSE(found.plateau);
  CHECK_FALSE(found.sharp);
  CHECK(found.most_bytes == 59 * 128);
}

TEST_CASE("a sampled knee is not sharp if what larger footprints retain is too unsure to contradict it") {
  const auto retaining = [](std::int64_t lines, std::int64_t hits) {
    return cache::SweepPoint{lines * 128, {.nodes = lines, .sampled = 4096, .hits = hits}};
  };
  cache::Capacity found{.first_miss_bytes = 65536 * 128, .sampled = true};
  // As many stay as fit: 65,536 of 85,197, 104,858 and 131,072.
  cache::read_overfull(found, std::vector{retaining(85197, 3151), retaining(104858, 2560), retaining(131072, 2048)},
                       128, true);
  CHECK(found.sharp);
  // Segmented replacement keeps other shares of other footprints.
  cache::read_overfull(found, std::vector{retaining(85197, 3400), retaining(104858, 2300), retaining(131072, 2048)},
                       128, true);
  CHECK_FALSE(found.sharp);
}

TEST_CASE("a cache holds the footprint that fits though larger ones retain less") {
  CHECK(cache::Capacity{.first_miss_bytes = 65536 * 128, .sampled = true, .retained_bytes = 60000 * 128}.bytes(128) ==
        65536 * 128);
  CHECK(cache::Capacity{.first_miss_bytes = 65536 * 128, .sampled = true, .retained_bytes = 70000 * 128}.bytes(128) ==
        70000 * 128);
}
