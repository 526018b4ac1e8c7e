#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/poisson.hpp>
#include <cmath>
#include <random>

#include "analysis_groups.hpp"
#include "analysis_matrix.hpp"
#include "analysis_past_l2.hpp"
#include "analysis_penalty.hpp"
#include "analysis_policy.hpp"
#include "catch.hpp"
#include "tomograph/tlb/eviction.hpp"

using namespace tomograph;
using namespace tomograph::tlb;

namespace {

constexpr std::int64_t page = 4096;

std::vector<double> noisy(double location, double deviation, int count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> noise(location, deviation);
  std::vector<double> sample;
  for (int i = 0; i < count; ++i) sample.push_back(noise(random));
  return sample;
}

/// A matrix of one stride in which walks over more than `fits` pages miss.
Matrix matrix_that_overflows(std::int64_t fits, double penalty) {
  Matrix matrix;
  for (std::int64_t pages = 2; pages <= 1024; pages *= 2) {
    matrix.cells.push_back({page, pages, noisy(pages > fits ? penalty : 0, 1, 200, 1)});
  }
  matrix.control = noisy(0, 1, 1000, 2);
  return matrix;
}

}  // namespace

TEST_CASE("the median of as many passes as a level asks for is wrong less than once in a million visits") {
  const boost::math::normal normal;
  for (const double gap : {12.5, 20.0, 40.0, 100.0}) {
    const Level level{.hit = 0, .miss = gap, .noise = 12};
    REQUIRE(level.resolvable());
    const double deviation = 1.2533 * level.noise / std::sqrt(static_cast<double>(level.passes()));
    CHECK(boost::math::cdf(boost::math::complement(normal, gap / 2 / deviation)) < 1e-6);
  }
}

TEST_CASE("chance exceeds its limit of misses less than once in half a million walks, even at 1.5 times the share") {
  for (double expected = 0.01; expected < 1e4; expected *= 1.1) {
    const boost::math::poisson_distribution<double> misses(1.5 * expected);
    CHECK(boost::math::cdf(boost::math::complement(misses, std::floor(most_chance_misses(expected, 1)))) < 2e-6);
  }
}

TEST_CASE("visits that miss nothing pass for such, though noise is larger than a clock of large steps shows") {
  // On a clock that counts by 2, the median of noise with a deviation of 4.2 is 2: a deviation of 3.
  Level level{.hit = 0, .miss = 14, .noise = 3};
  level = with_control(level, noisy(0, 4.2, 1500, 1));
  for (unsigned seed = 2; seed < 100; ++seed) {
    const auto above = std::ranges::count_if(noisy(0, 4.2, 2000, seed), [](double extra) { return extra > 7; });
    CHECK(static_cast<double>(above) <= most_like_control(level, 2000));
  }
  CHECK(most_like_control(level, 2000) < 200);  // less than one page too many adds in 64 passes
}

TEST_CASE("a visit misses if its median does or, of a sharp level, a quarter of its passes") {
  const ExtraLatency seen{3, {0, 30, 0, 0, 30, 30, 0, 30, 0}};
  CHECK(missing(seen, {.hit = 0, .miss = 30, .noise = 1}) == std::vector<bool>{false, true, true});
  CHECK(missing(seen, {.hit = 0, .miss = 30, .noise = 10}) == std::vector<bool>{false, true, false});
}

TEST_CASE("what a miss brings is the most frequent distance between misses, the first page left out") {
  const std::vector<std::int64_t> pages{0, page, 2 * page, 3 * page, 4 * page, 5 * page, 6 * page, 7 * page};
  const auto found = distances_between(pages, {true, true, false, true, false, true, false, false});
  REQUIRE(found);
  CHECK(found->stride == page);
  CHECK(found->bytes == 2 * page);
  CHECK(found->distance.size() == 2);
  CHECK(found->share == 1);
  CHECK_FALSE(distances_between(pages, {true, false, false, true, false, false, false, false}));
}

TEST_CASE("memory is regular behind the last misses whose distance no number of entries explains") {
  constexpr std::int64_t mebi = 1 << 20;
  const auto pages = evenly(2 * mebi, 48);
  std::vector<bool> missed(pages.size());
  for (std::size_t page = 0; page < pages.size(); page += 8) missed[page] = true;
  CHECK(distances_between(pages, missed)->regular_from == 0);
  missed[21] = true;  // a region of 16 MiB in two parts, of 10 and 6 MiB
  const auto found = distances_between(pages, missed);
  CHECK(found->bytes == 16 * mebi);
  CHECK(found->regular_from == 48 * mebi);
}

TEST_CASE("the next number to try ends at a page that missed, or halves the range") {
  CHECK(next_number(4, 8, std::vector<bool>(8, false)) == 6);
  std::vector<bool> missed(16, false);
  missed[9] = true;
  const std::int64_t next = next_number(4, 16, missed);
  CHECK((next == 9 || next == 10));
}

TEST_CASE("groups are even if their ways divide the entries, and unions of sets are no groups") {
  std::vector<Group> groups{{0, 1, 2, 3, 4}, {5, 6, 7, 8, 9}, {10, 11, 12, 13, 14, 15, 16, 17, 18, 19}};
  CHECK_FALSE(is_even(64, groups));
  drop_unions(groups);
  CHECK(groups.size() == 2);
  CHECK(is_even(64, groups));
  CHECK_FALSE(is_even(63, groups));
  CHECK_FALSE(is_even(64, {}));
}

TEST_CASE("pages that begin to miss together complete a set, a single one does not") {
  CHECK(completed_set({1, 2}, {1, 2, 7, 8, 9}) == Group{7, 8, 9});
  CHECK_FALSE(completed_set({1, 2}, {1, 2, 7}));
}

TEST_CASE("the whole of a draw is no set of a large level, but may be one of a small level") {
  const Draw draw{{1, 2, 3}, {}};
  std::vector<Group> groups{{1, 2, 3}};
  CHECK_FALSE(take_whole(small_level, draw, groups));
  CHECK(groups.size() == 1);
  CHECK(take_whole(small_level + 1, draw, groups) == Group{1, 2, 3});
  CHECK(groups.empty());
}

TEST_CASE("shares of misses tell random replacement from LRU, and nothing where all visits miss") {
  const auto share = [](std::int64_t pages, double misses) { return MissShare{pages, misses, 0.005}; };
  CHECK(policy_of(16, {share(24, random_miss_share(16, 24)), share(32, random_miss_share(16, 32))}).name == "random");
  CHECK(policy_of(16, {share(24, 0.4), share(32, 0.6)}).name == "not-lru");
  CHECK(policy_of(16, {share(24, 1), share(32, 1)}).name.empty());
  CHECK(policy_of(16, {share(24, 0.9), share(32, 0.9)}).name.empty());
}

TEST_CASE("where noise hides which visits miss, single visits name no policy") {
  const auto visits = noisy(15, 10, 170, 3);
  const std::vector<std::uint32_t> pages(visits.size(), 0);
  const Policy found = policy_of({.hit = 0, .miss = 30, .noise = 10}, visits, pages, 16);
  CHECK(found.name.empty());
  CHECK_FALSE(found.reason.empty());
}

TEST_CASE("a penalty is that of most visits, and is published only where enough of them agree") {
  auto differences = noisy(60, 3, 900, 4);
  const auto others = noisy(600, 3, 100, 5);
  differences.insert(differences.end(), others.begin(), others.end());
  const Penalty found = penalty_of({.hit = 0, .miss = 62, .noise = 3}, differences);
  CHECK(found.cycles == Approx(60).margin(4 * found.error));
  CHECK(found.is_precise());
  CHECK(agrees(found));
  CHECK_FALSE(agrees(penalty_of({.hit = 0, .miss = 600, .noise = 3}, differences)));
}

TEST_CASE("visits of pages that stayed show no penalty") {
  CHECK_FALSE(agrees(penalty_of({.hit = 0, .miss = 14, .noise = 3}, noisy(0, 4, 900, 6))));
}

TEST_CASE("visits that hit only until a level has settled are left out, those that go on are not") {
  const Level level{.hit = 40, .miss = 196, .noise = 3};
  std::vector<double> visits(160, 196);
  std::fill_n(visits.begin(), 20, 41);
  CHECK(settling_visits(level, visits) == 80);
  for (std::size_t i = 80; i < 160; i += 4) visits[i] = 41;
  CHECK(settling_visits(level, visits) == 0);
}

TEST_CASE("the clock counts by what all differences are multiples of") {
  CHECK(clock_step(std::vector<double>{-4, 0, 8, 12}) == 4);
  CHECK(clock_step(std::vector<double>{-4, 0, 8, 11}) == 1);
  CHECK(clock_step({}) == 1);
}

TEST_CASE("twice the entries evict a level; where these are unknown, twice what overflows it") {
  const Matrix matrix = matrix_that_overflows(8, 40);
  const Level level{.hit = 0, .miss = 40, .noise = 1};
  CHECK(pages_that_evict(matrix, level, 10, 0) == 28);
  CHECK(pages_that_evict(matrix, level, std::nullopt, 0) == 32);
  CHECK(pages_that_evict(matrix, level, 10, 100) == 100);
  CHECK(pages_held_behind(matrix.cells, &level, page) == 8);
  CHECK(pages_held_behind(matrix.cells, nullptr, page) == 1024);
}

TEST_CASE("what holds no more pages than the level before is none behind it") {
  const Matrix matrix = matrix_that_overflows(64, 30);
  const Level before{.hit = 0, .miss = 30, .noise = 1};
  CHECK(holds_no_more(matrix.cells, before, page, 64));
  CHECK_FALSE(holds_no_more(matrix.cells, before, page, 128));
  CHECK(holds_no_more(matrix.cells, before, 2 * page, 128));  // no walk shows that it holds more
}

TEST_CASE("a control that takes as long as the walks shows that TLBs are not the cause") {
  Matrix matrix = matrix_that_overflows(8, 40);
  const Level level{.hit = 0, .miss = 40, .noise = 1};
  CHECK(control_is_clean(matrix, level));
  matrix.control = noisy(40, 1, 1000, 6);
  CHECK_FALSE(control_is_clean(matrix, level));
}

TEST_CASE("few delayed visits of the control do not hide that single visits vary little") {
  CHECK(inner_deviation(noisy(0, 1.5, 1000, 7), 1) == Approx(1.5).margin(0.1));
  std::vector<double> control = noisy(0, 1.5, 950, 7);
  control.insert(control.end(), 50, 153);
  CHECK(inner_deviation(control, 1) == Approx(1.5).margin(0.25));
}

TEST_CASE("a plateau of the largest walks that noise may have mixed is neither a level nor proof that there is none") {
  const auto walks = [](double last) {
    std::vector<Cell> cells;
    for (std::int64_t pages = 2; pages <= 1024; pages *= 2) {
      cells.push_back({page, pages, noisy(pages > 16 ? 100 : 0, 5, 192, static_cast<unsigned>(pages))});
    }
    for (const std::int64_t pages : {1400, 1600, 1800}) {
      cells.push_back({page, pages, noisy(last, 5, 192, static_cast<unsigned>(pages))});
    }
    return find_levels(cells, 5);
  };
  const Staircase unclear = walks(115);
  CHECK(unclear.levels.size() == 1);
  REQUIRE(unclear.unclear);
  CHECK(*unclear.unclear == Approx(115).margin(3));
  CHECK_THAT(unclear_level(unclear), Catch::Matchers::ContainsSubstring("noise hides whether another level is there"));
  const Staircase clear = walks(100);
  CHECK(clear.levels.size() == 1);
  CHECK_FALSE(clear.unclear);
  CHECK(walks(130).levels.size() == 2);
}

TEST_CASE("a level that keeps the pages that walks visit first shows where all pages are timed") {
  const Matrix matrix{.cells = {{page, 4096, noisy(14, 3, 192, 1)}}, .deviation = 3};
  const Level last{0, 14, 3};
  Cell timed{page, 4000, noisy(14, 3, 3900, 2)};
  // Lines that L2 does not hold.
  timed.extra_latency.insert(timed.extra_latency.end(), 20, 300);
  CHECK(keeping_level(matrix, last, timed).empty());
  timed.extra_latency.insert(timed.extra_latency.end(), 80, 300);
  CHECK_THAT(keeping_level(matrix, last, timed), Catch::Matchers::ContainsSubstring("100 take more than"));
  Matrix lossy = matrix;
  std::fill_n(lossy.cells.front().extra_latency.begin(), 4, 300);
  CHECK(keeping_level(lossy, last, timed).empty());
}

TEST_CASE("a level of more pages than walks within L2 visit shows in walks that leave L2") {
  // Half of the lines lie in a farther part of L2.
  const auto visits = [](double penalty, unsigned seed) {
    auto cycles = noisy(400 + penalty, 10, 512, seed);
    const auto far = noisy(520 + penalty, 10, 512, seed + 1);
    cycles.insert(cycles.end(), far.begin(), far.end());
    return cycles;
  };
  const auto reason = [&](double penalty, unsigned seed) {
    return level_past_l2({320, visits(0, seed), 8192, visits(penalty, seed + 2)});
  };
  CHECK_THAT(reason(30, 0), Catch::Matchers::ContainsSubstring("a level may hold these"));
  for (unsigned seed = 0; seed < 200; ++seed) CHECK(reason(0, 4 * seed).empty());
}

TEST_CASE("the page-table window adds to the visits that miss it without a longer walk of page tables") {
  const std::vector<Level> levels{{0, 42}, {42, 76}, {76, 617}, {617, 652}};
  CHECK(without_walk(levels, 2).hit == 42);
  CHECK(without_walk(std::span(levels).first(3), 2).hit == 76);
  const std::vector<Level> nested{{0, 42}, {42, 76}, {76, 617}, {617, 780}};
  CHECK(without_walk(nested, 2).hit == 76);
}

TEST_CASE("a level shows on a clock whose steps are nearly as long as its penalty") {
  constexpr double step = 4;
  constexpr double penalty = 13;
  const auto counted = [](std::vector<double> cycles) {
    for (double& one : cycles) one = step * std::round(one / step);
    return cycles;
  };
  std::vector<Cell> cells;
  for (const std::int64_t pages : {2, 16, 64, 76, 92, 109}) {
    cells.push_back({page, pages, counted(noisy(pages > 64 ? penalty : 0, 2.3, 192, static_cast<unsigned>(pages)))});
  }
  const double deviation = inner_deviation(counted(noisy(0, 2.3, 1000, 5)), step);
  CHECK(deviation == Approx(std::hypot(2.3, step / std::sqrt(12))).epsilon(0.15));  // of the noise and its rounding
  const auto levels = find_levels(cells, 1.4826 * step, step, deviation).levels;
  REQUIRE(levels.size() == 1);
  CHECK(levels.front().miss == Approx(penalty).margin(1.5));
}
