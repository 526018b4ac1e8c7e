#include "sim/chase/cache_state.hpp"

#include <algorithm>
#include <deque>

#include "catch.hpp"

namespace tomograph::sim {
namespace {

/// A set as the textbook has it: a queue of lines, the next victim in front.
class TextbookCache {
 public:
  TextbookCache(std::vector<std::int64_t> ways, bool lru) : ways_(std::move(ways)), queues_(ways_.size()), lru_(lru) {}

  bool load(std::uint32_t line, std::uint32_t set) {
    auto& queue = queues_[set];
    const auto found = std::ranges::find(queue, line);
    const bool hit = found != queue.end();
    if (hit && !lru_) return true;
    if (hit) queue.erase(found);
    if (!hit && queue.size() == static_cast<std::size_t>(ways_[set])) queue.pop_front();
    queue.push_back(line);
    return hit;
  }

 private:
  std::vector<std::int64_t> ways_;
  std::vector<std::deque<std::uint32_t>> queues_;
  bool lru_;
};

/// Whether a load of `line` hits.
bool use(CacheState& state, std::uint32_t line) {
  return with_rule(state.rule(), [&](auto rule) { return state.use<rule()>(line, 1, 1) != 0; });
}

/// Loads `count` lines, drawn so that some are much more frequent than others, in both caches.
std::size_t disagreements(const std::vector<std::int64_t>& ways, bool lru, std::uint64_t seed) {
  const Organisation organisation(ways, {lru ? Replacement::Policy::lru : Replacement::Policy::fifo, {}});
  Random random(seed);
  std::vector<std::uint32_t> set_of_line(300);
  for (std::uint32_t& set : set_of_line) set = random.below(static_cast<std::uint32_t>(ways.size()));
  TextbookCache textbook(ways, lru);
  CacheState state;
  state.reset(organisation, set_of_line, organisation.rule(set_of_line), random);
  std::size_t differences = 0;
  for (int i = 0; i < 20000; ++i) {
    const std::uint32_t line = random.below(1 + random.below(300));
    const bool hit = use(state, line);
    if (hit != textbook.load(line, set_of_line[line])) ++differences;
  }
  return differences;
}

TEST_CASE("LRU and FIFO evict what the textbook evicts, in equal, unequal and large sets") {
  const std::vector<std::vector<std::int64_t>> geometries{{4, 4, 4, 4}, {17, 8, 8, 8}, {1, 1, 1}, {100}, {60, 61}};
  for (const auto& ways : geometries) {
    for (const bool lru : {true, false}) {
      for (std::uint64_t seed = 1; seed <= 5; ++seed) CHECK(disagreements(ways, lru, seed) == 0);
    }
  }
}

TEST_CASE("a cache that is reset holds nothing, whatever ran in it before") {
  const Organisation organisation(std::vector<std::int64_t>{2, 2}, {});
  const std::vector<std::uint32_t> sets{0, 1, 0, 1, 0, 1};
  CacheState state;
  for (int round = 0; round < 2; ++round) {
    state.reset(organisation, sets, organisation.rule(sets), Random(1));
    for (std::uint32_t line = 0; line < 6; ++line) {
      CHECK(state.valid(line) == 0);
      CHECK_FALSE(use(state, line));
    }
    CHECK(state.valid(0) == 0);
    CHECK(state.valid(5) != 0);
  }
}

TEST_CASE("lines that fit beside each other make room for none, those of one overfull set or too many in all do") {
  const Organisation organisation(std::vector<std::int64_t>{2, 3}, {}, 4);
  const auto rule = [&](const std::vector<std::uint32_t>& sets) { return organisation.rule(sets); };
  CHECK(rule({0, 0}) == Rule::no_eviction);
  CHECK(rule({0, 1, 0, 1}) == Rule::no_eviction);
  CHECK(rule({0, 0, 0}) == Rule::lru);
  CHECK(rule({0, 0, 1, 1, 1}) == Rule::lru);
}

}  // namespace
}  // namespace tomograph::sim
