#include "cache_contents.hpp"

#include <string>

#include "catch.hpp"

namespace {

using namespace tomograph::kernel;

constexpr std::int64_t line = 128;

/// One set of `ways`, unless there are masks.
CacheShape cache(std::int64_t lines, Replacement replacement, std::int64_t ways) {
  return {.size = lines * line, .line = line, .ways = ways, .replacement = replacement};
}

/// 'h' for a hit and 'm' for a miss of each line, one letter each.
std::string walk(const CacheShape& shape, const std::string& lines) {
  CacheContents contents(shape, line);
  std::string outcome;
  for (const char one : lines) outcome += contents.use(static_cast<std::uint64_t>(one), false).hit ? 'h' : 'm';
  return outcome;
}

double hits_in_turn(const CacheShape& shape, std::uint64_t lines) {
  CacheContents contents(shape, line);
  double hits = 0;
  for (std::uint64_t i = 0; i < 100 * lines; ++i) hits += contents.use(i % lines, false).hit ? 1 : 0;
  return hits / 100 / static_cast<double>(lines);
}

}  // namespace

TEST_CASE("LRU replaces the line whose last use is oldest, FIFO the one that was loaded first") {
  CHECK(walk(cache(2, Replacement::lru, 2), "abacab") == "mmhmhm");
  CHECK(walk(cache(2, Replacement::fifo, 2), "abacab") == "mmhmmm");
}

TEST_CASE("segmented LRU keeps lines that were used again") {
  CacheShape shape = cache(4, Replacement::segmented_lru, 4);
  shape.protected_ways = 2;
  CHECK(walk(shape, "abababcdefghab") == "mmhhhhmmmmmmhh");
  CHECK(walk(cache(4, Replacement::lru, 4), "abababcdefghab") == "mmhhhhmmmmmmmm");
  // The third line that is used again takes the protection of the first.
  CHECK(walk(shape, "acabcbacbdefc") == "mmhmhhhhhmmmh");
}

TEST_CASE("units of a line that one instruction uses do not protect it") {
  CacheShape shape = cache(2, Replacement::segmented_lru, 2);
  shape.protected_ways = 1;
  CacheContents contents(shape, 32);
  for (std::uint64_t unit = 0; unit < 4; ++unit) CHECK_FALSE(contents.use(unit, false).hit);
  for (const std::uint64_t other : {4U, 8U}) static_cast<void>(contents.use(other, false));
  CHECK_FALSE(contents.use(0, false).hit);
}

TEST_CASE("tree-PLRU replaces a line of the half that was used longer ago") {
  // e replaces c: of the half that a is not in, the line before d. Then c replaces d.
  CHECK(walk(cache(4, Replacement::tree_plru, 4), "abcdaeacbd") == "mmmmhmhmhm");
  CHECK(walk(cache(4, Replacement::lru, 4), "abcdaeacbd") == "mmmmhmhhmm");
}

TEST_CASE("lines in turn, one more than there are ways, miss under LRU and mostly hit under random replacement") {
  CHECK(hits_in_turn(cache(16, Replacement::lru, 16), 17) == 0);
  CHECK(hits_in_turn(cache(16, Replacement::random, 16), 17) > 0.8);
  CHECK(hits_in_turn(cache(16, Replacement::random, 16), 64) < 0.1);
}

TEST_CASE("masks give the set of a line") {
  CacheShape shape = cache(8, Replacement::lru, 2);
  shape.masks = {line, 2 * line};
  // Every fourth line is in the same set.
  CHECK(walk(shape, std::string("\0\4\0\4", 4)) == "mmhh");
  CHECK(walk(shape, std::string("\0\4\10\0\4\10", 6)) == "mmmmmm");
  CHECK(walk(shape, std::string("\0\1\2\0\1\2", 6)) == "mmmhhh");
}

TEST_CASE("a size that is no multiple of the sets leaves some sets a way less") {
  CacheShape shape = cache(7, Replacement::lru, 2);
  shape.masks = {line, 2 * line};
  CHECK(hits_in_turn(shape, 8) == Approx(0.99 * 6 / 8));
}

TEST_CASE("most lines at any stride find place, however many sets there are") {
  for (const std::int64_t sets : {1875, 1876, 1888, 1920, 2048}) {
    for (const std::uint64_t stride : {1U, 8U, 13U, 64U, 1024U}) {
      CacheContents contents(cache(16 * sets, Replacement::lru, 16), line);
      const auto lines = static_cast<std::uint64_t>(12 * sets);
      double hits = 0;
      for (std::uint64_t i = 0; i < 2 * lines; ++i) hits += contents.use(i % lines * stride, false).hit ? 1 : 0;
      INFO(sets << " sets, stride " << stride);
      CHECK(hits > 0.5 * static_cast<double>(lines));
    }
  }
}
