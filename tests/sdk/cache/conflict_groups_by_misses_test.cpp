#include "catch.hpp"
#include "shared_sets.hpp"
#include "tomograph/cache/replacement.hpp"
#include "tomograph/cache/sets.hpp"

namespace {

using namespace tomograph;
using namespace tomograph::testing;

constexpr std::int64_t line_bytes = 128;
constexpr std::int64_t set_count = 64;
constexpr std::int64_t ways = 12;
constexpr cache::SetSearch shared_search{
    .line_bytes = line_bytes, .capacity_lines = set_count * ways, .budget = 20'000'000};
const cache::Subject subject{.path = chase::Path::global_cg,
                             .shared = true,
                             .threshold = {.cycles = 400, .false_miss = 1e-4, .false_hit = 1e-4},
                             .touches = 2};

/// Whether each group consists of lines of one set, one more than it has ways.
bool are_of_one_set(const std::vector<cache::ConflictGroup>& groups) {
  return std::ranges::all_of(groups, [](const cache::ConflictGroup& group) {
    return group.ways() == ways && std::ranges::all_of(group.lines, [&](std::int64_t line) {
             return line % set_count == group.lines.front() % set_count;
           });
  });
}

/// What the search finds in a cache with such sets, by how many loads.
struct Found {
  std::vector<cache::ConflictGroup> groups;
  std::optional<cache::Sets> sets;
  std::int64_t loads = 0;
};

Found found_under(const Load& load, double late = 0) {
  SharedSets shared(set_count, line_bytes, load);
  std::mt19937_64 random(3);
  std::bernoulli_distribution is_late(late);
  const cache::Executor execute = [&](std::span<const chase::Program> programs) {
    auto results = shared.execute(programs);
    for (auto& result : results) {
      for (std::uint32_t& latency : result.traces.front().latency) latency = is_late(random) ? 1000U : latency;
    }
    return results;
  };
  Found found{
      .groups = cache::conflict_groups_by_misses(execute, subject, shared_search), .sets = {}, .loads = shared.loads()};
  found.sets = cache::recover_sets(execute, subject, shared_search, found.groups);
  return found;
}

void check(const Found& found) {
  CHECK(std::ssize(found.groups) >= shared_search.groups / 2);
  CHECK(are_of_one_set(found.groups));
  REQUIRE(found.sets);
  CHECK(found.sets->set_ways == std::vector<std::int64_t>(set_count, ways));
}

}  // namespace

TEST_CASE("lines that share a set of random victims are found, since they stop missing without one of them") {
  check(found_under(random_replacement(ways)));
}

TEST_CASE("loads that are late for other reasons put no line into the set of others") {
  const Found found = found_under(random_replacement(ways), 1e-4);
  CHECK_FALSE(found.groups.empty());
  CHECK(are_of_one_set(found.groups));
}

TEST_CASE("under segmented LRU, lines of earlier programs that are protected hide no way of a set") {
  check(found_under(segmented_lru(ways, 5)));
}

TEST_CASE("protected lines of segmented LRU are counted, LRU has none, and random victims are neither") {
  const auto policy_under = [](const Load& load) {
    SharedSets shared(set_count, line_bytes, load);
    const cache::Executor execute = [&](auto programs) { return shared.execute(programs); };
    const auto groups = cache::conflict_groups_by_misses(execute, subject, shared_search);
    const auto sets = cache::recover_sets(execute, subject, shared_search, groups);
    REQUIRE(sets);
    return cache::replacement(execute, subject, line_bytes, groups, *sets);
  };
  const auto segmented = policy_under(segmented_lru(ways, 5));
  CHECK(segmented.policy == "segmented-lru");
  CHECK(segmented.protected_ways == 5);
  CHECK(policy_under(segmented_lru(ways, 0)).policy == "lru");
  const auto random = policy_under(random_replacement(ways)).policy;
  CHECK((random.empty() || random == "random" || random == "not-lru"));
}

TEST_CASE("a search by misses that cannot succeed ends within its budget") {
  // Each load misses once in ten times, whatever was loaded before.
  const Found found =
      found_under([random = std::mt19937_64(2)](SharedSet&, std::int64_t) mutable { return random() % 10 != 0; });
  CHECK(found.groups.empty());
  CHECK(found.loads < 2 * shared_search.budget);
}
