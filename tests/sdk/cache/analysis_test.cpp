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

TEST_CASE("the last size that fits is followed by none that misses more than the smaller ones") {
  std::vector<cache::SweepPoint> sizes{{1024, seen(4096, 0)}, {1152, seen(4096, 0)}, {1280, seen(4096, 3)}};
  CHECK(cache::last_fitting(sizes, certain) == 1152);
  CHECK(cache::last_fitting(sizes, noisy) == 1280);
  sizes.front().seen = seen(4096, 40);
  CHECK(cache::last_fitting(sizes, noisy) == 0);
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
