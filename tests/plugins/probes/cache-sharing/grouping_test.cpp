#include "analysis_grouping.hpp"
#include "catch.hpp"

using namespace tomograph::analysis;

namespace {

constexpr EffectOdds together{.absent = 0.0001, .partial = 0.0001, .full = 0.9998};
constexpr EffectOdds apart{.absent = 0.9998, .partial = 0.0001, .full = 0.0001};
constexpr EffectOdds unclear{.absent = 0.45, .partial = 0.1, .full = 0.45};

}  // namespace

TEST_CASE("members are grouped by whom they share with, in rounds as many as groups") {
  int rounds = 0;
  const auto found = group(10, [&](std::int64_t base, std::span<const std::int64_t> others) {
    ++rounds;
    std::vector<EffectOdds> odds;
    for (const std::int64_t other : others) odds.push_back(base % 3 == other % 3 ? together : apart);
    return odds;
  });
  CHECK(found.count == 3);
  CHECK(found.of_member == std::vector<std::int64_t>{0, 1, 2, 0, 1, 2, 0, 1, 2, 0});
  CHECK(found.groups().at(1) == std::vector<std::int64_t>{1, 4, 7});
  CHECK(rounds == 3);
  CHECK(found.undecided.empty());
  CHECK(found.error > 0);
}

TEST_CASE("a comparison that comes out neither way is named") {
  const auto found = group(4, [](std::int64_t, std::span<const std::int64_t> others) {
    std::vector<EffectOdds> odds(others.size(), together);
    if (others.size() == 3) odds[1] = unclear;
    return odds;
  });
  CHECK(found.undecided == "0 and 2");
}

TEST_CASE("one member alone is one group") {
  CHECK(group(1, [](std::int64_t, std::span<const std::int64_t>) { return std::vector<EffectOdds>(); }).count == 1);
}
