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

/// A queue of pages, the next victim first, in which a new page waits at the front or the back. A page that is used
/// goes to the back.
class InsertingQueue {
 public:
  InsertingQueue(std::size_t ways, bool front) : ways_(ways), front_(front) {}

  bool load(std::int64_t page) {
    const bool hit = std::erase(pages_, page) != 0;
    if (pages_.size() == ways_) pages_.erase(pages_.begin());
    pages_.insert(!hit && front_ ? pages_.begin() : pages_.end(), page);
    return hit;
  }

 private:
  std::size_t ways_;
  bool front_;
  std::vector<std::int64_t> pages_;
};

/// A ring of pages with reference bits. Its hand passes those that were used since, and clears their bits.
class Clock {
 public:
  explicit Clock(std::size_t ways) : pages_(ways, -1), used_(ways) {}

  bool load(std::int64_t page) {
    const auto found = std::ranges::find(pages_, page);
    if (found != pages_.end()) {
      used_[static_cast<std::size_t>(found - pages_.begin())] = true;
      return true;
    }
    for (; used_[hand_]; hand_ = (hand_ + 1) % pages_.size()) used_[hand_] = false;
    pages_[hand_] = page;
    hand_ = (hand_ + 1) % pages_.size();
    return false;
  }

 private:
  std::vector<std::int64_t> pages_;
  std::vector<bool> used_;
  std::size_t hand_ = 0;
};

/// What sequences of timed visits, of two loads each, agree with in a set of this kind, of which `left` pages are held
/// before the first.
template <class Set>
Agreement agreement_of_loads(const Set& empty, std::size_t pages, std::size_t count, bool touches,
                             std::int64_t left = 0) {
  Agreement found;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const Visits visits = telling_visits(pages, count, {}, seed, touches);
    Set set = empty;
    for (std::size_t other = 0; other < 4 * pages; ++other) set.load(static_cast<std::int64_t>(1000 + other));
    for (std::int64_t page = 0; page < left; ++page) set.load(page);
    std::vector<bool> missed;
    for (std::size_t visit = 0; visit < visits.timed.size(); ++visit) {
      const std::int64_t page = visits.order[visits.timed[visit]];
      missed.push_back(!set.load(page));
      set.load(page);
      if (visits.touched[visit] != Visits::nothing) set.load(visits.touched[visit]);
    }
    found.add(visits, missed);
  }
  return found;
}

/// What the timed visits of some sequences to a set of this policy agree with.
Agreement agreement_of(std::size_t ways, const Hits& hits, std::size_t misread = 0) {
  Agreement found;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const Visits visits = telling_visits(ways + 1, 48, {}, seed);
    const auto all = hits(visits.order, ways);
    std::vector<bool> missed;
    for (const std::size_t visit : visits.timed) missed.push_back(!all[visit]);
    for (std::size_t i = 0; i < misread; ++i) missed[visits.walked + seed + i].flip();
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
  const Agreement none = agreement_of(8, analysis::lru_hits, 4);
  CHECK(policy_of(none).name == "not-lru");
  Agreement some = none;
  some.lru = 1;
  some.none = 7;
  CHECK(policy_of(some).name.empty());
}

TEST_CASE("a line that L2 lost in each sequence does not make LRU another policy") {
  const Agreement lost = agreement_of(8, analysis::lru_hits, 1);
  CHECK(lost.none == 8);
  CHECK(policy_of(lost).name.empty());
}

TEST_CASE("a walk that hits leaves the state of a set unknown, so that the visits after it tell nothing") {
  const auto hits = [](std::span<const std::int64_t> pages, std::size_t) {
    return std::vector<bool>(pages.size(), true);
  };
  const Agreement found = agreement_of(8, hits);
  CHECK(found.sequences == 0);
  CHECK(policy_of(found).name.empty());
}

TEST_CASE("under LRU alone, pages that a walk finds in the set do not matter") {
  const Agreement lru = agreement_of_loads(InsertingQueue(8, false), 9, 48, false, 3);
  CHECK(lru.sequences == 0);
  CHECK(lru.hitting_lru == 8);
  CHECK(policy_of(lru).name == "lru");
  CHECK(policy_of(agreement_of_loads(Clock(8), 9, 48, false, 3)).name.empty());
}

TEST_CASE("visits whose lines L2 has lost take longer than misses, and tell no policy") {
  const Level level{.hit = 338, .miss = 420, .noise = 2};
  std::vector<double> cycles(100, 420);
  std::fill_n(cycles.begin(), 30, 338);
  CHECK_FALSE(are_late(level, cycles));
  cycles[0] = cycles[50] = 825;  // delays of other causes
  CHECK_FALSE(are_late(level, cycles));
  cycles[1] = 743;
  CHECK(are_late(level, cycles));
}

TEST_CASE("visits that a level before serves say nothing about the level") {
  const Level level{30, 300, 3};
  CHECK_FALSE(are_hidden(level, std::vector<double>{300, 31, 29, 302, 30}, 5));
  CHECK(are_hidden(level, std::vector<double>{300, 31, 29, 302, 0}, 5));
  const Level noisy{13, 178, 3};
  std::vector<double> medians(64, 13);
  CHECK_FALSE(are_hidden(noisy, medians, 5));
  medians[7] = 1;
  CHECK(are_hidden(noisy, medians, 5));
  CHECK_FALSE(are_hidden({13, 178, 8}, medians, 5));
  Agreement none = agreement_of(8, analysis::lru_hits, 4);
  none.hidden = 1;
  CHECK(policy_of(none).name.empty());
}

TEST_CASE("loads of pages once tell LRU from a policy that protects only what is loaded again") {
  const InsertingQueue lru(8, false);
  const InsertingQueue inserting_last(8, true);
  CHECK(policy_of(agreement_of_loads(lru, 9, 66, true)).name == "lru");
  CHECK(policy_of(agreement_of_loads(inserting_last, 9, 66, false)).name == "lru");
  CHECK(policy_of(agreement_of_loads(inserting_last, 9, 66, true)).name == "not-lru");
}

TEST_CASE("more visits than ways tell LRU from CLOCK") {
  const Clock clock(64);
  CHECK(policy_of(agreement_of_loads(clock, 65, 48, false)).name == "lru");
  CHECK(policy_of(agreement_of_loads(clock, 65, 178, true)).name == "not-lru");
  CHECK(policy_of(agreement_of_loads(InsertingQueue(64, false), 65, 178, true)).name == "lru");
}
