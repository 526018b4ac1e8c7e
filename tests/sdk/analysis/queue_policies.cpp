#include "tomograph/analysis/queue_policies.hpp"

#include "catch.hpp"
#include "tomograph/analysis/tree_plru.hpp"

using tomograph::analysis::fifo_hits;
using tomograph::analysis::lru_hits;
using tomograph::analysis::segmented_lru_hits;
using tomograph::analysis::tree_plru_hits_when_full;

namespace {

/// Walks over lines 0 to 4, then these visits.
std::vector<std::int64_t> after_walks(std::vector<std::int64_t> visits) {
  std::vector<std::int64_t> lines;
  for (int i = 0; i < 15; ++i) lines.push_back(i % 5);
  lines.insert(lines.end(), visits.begin(), visits.end());
  return lines;
}

std::vector<bool> last(const std::vector<bool>& hits, std::ptrdiff_t count) { return {hits.end() - count, hits.end()}; }

}  // namespace

TEST_CASE("a hit renews a line's place in the queue under LRU, and does not under FIFO") {
  const std::vector<std::int64_t> lines{0, 1, 0, 2, 0, 1};
  CHECK(lru_hits(lines, 2) == std::vector<bool>{false, false, true, false, true, false});
  CHECK(fifo_hits(lines, 2) == std::vector<bool>{false, false, true, false, false, false});
}

TEST_CASE("walks over one line too many miss under LRU, FIFO and tree-PLRU of a full set") {
  const auto walks = after_walks({});
  const std::vector<bool> all_miss(walks.size(), false);
  CHECK(lru_hits(walks, 4) == all_miss);
  CHECK(fifo_hits(walks, 4) == all_miss);
  CHECK(tree_plru_hits_when_full(walks, 4) == all_miss);
}

TEST_CASE("touching the oldest line again after walks tells FIFO, and not tree-PLRU from LRU") {
  // Lines 1 to 4 are held; 1 is touched, 0 replaces a line, then 1 and 2 are tried.
  const auto touched = after_walks({1, 0, 1, 2});
  CHECK(last(lru_hits(touched, 4), 4) == std::vector<bool>{true, false, true, false});
  CHECK(last(tree_plru_hits_when_full(touched, 4), 4) == std::vector<bool>{true, false, true, false});
  CHECK(last(fifo_hits(touched, 4), 4) == std::vector<bool>{true, false, false, false});
}

TEST_CASE("other visits after walks tell tree-PLRU of a full set from LRU") {
  // Lines 1 and 3 share a half, 2 and 4 the other one. After a visit to 3, tree-PLRU replaces 2, LRU replaces 1.
  const auto visits = after_walks({3, 0, 1, 2});
  CHECK(last(lru_hits(visits, 4), 3) == std::vector<bool>{false, false, false});
  CHECK(last(tree_plru_hits_when_full(visits, 4), 3) == std::vector<bool>{false, true, false});
}

TEST_CASE("segmented LRU keeps lines that were used again, and is LRU where each line is used twice at once") {
  const std::vector<std::int64_t> lines{0, 0, 1, 2, 3, 4, 0, 1};
  CHECK(segmented_lru_hits(lines, 3, 1) == std::vector<bool>{false, true, false, false, false, false, true, false});
  std::vector<std::int64_t> twice;
  for (const std::int64_t line : {5, 6, 7, 0, 1, 2, 3, 4, 2, 0, 1, 4, 3}) twice.insert(twice.end(), 2, line);
  CHECK(segmented_lru_hits(twice, 4, 2) == lru_hits(twice, 4));
}
