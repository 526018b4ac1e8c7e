#include "tlb_layout.hpp"

#include "catch.hpp"

namespace {

using namespace tomograph::cache_sharing;

constexpr std::int64_t mebi = std::int64_t{1} << 20;

TlbFacts second_level() {
  return {.entries = 128,
          .entry_span = 2 * mebi,
          .miss_penalty = 80,
          .entries_before = 16,
          .span_before = 2 * mebi,
          .line_bytes = 128,
          .room = std::int64_t{4096} * mebi};
}

}  // namespace

TEST_CASE("the level holds all testers' pages, the levels before do not, and a walk evicts them") {
  const TlbLayout layout = tlb_layout(second_level());
  CHECK(layout.fillers > 16);
  CHECK(layout.testers * layout.pages + layout.fillers <= 64);
  CHECK(layout.walk == 256);
  CHECK(layout.bytes() <= second_level().room);
}

TEST_CASE("the first level needs no pages that evict its testers' pages from others") {
  TlbFacts first = second_level();
  first.entries_before = first.span_before = 0;
  CHECK(tlb_layout(first).fillers == 0);
}

TEST_CASE("fewer testers fit in little memory, and too little is refused with the reason") {
  TlbFacts plenty = second_level();
  plenty.entries = 1024;
  plenty.room = 16384 * mebi;
  TlbFacts little = plenty;
  little.room = 4300 * mebi;
  CHECK(tlb_layout(little).testers < tlb_layout(plenty).testers);
  little.room = 128 * mebi;
  CHECK_THROWS_AS(tlb_layout(little), NoLayout);
}

TEST_CASE("levels before that hold half as many entries leave no layout") {
  TlbFacts hidden = second_level();
  hidden.entries_before = 64;
  CHECK_THROWS_WITH(tlb_layout(hidden), Catch::Matchers::ContainsSubstring("64 of the levels before it"));
}

TEST_CASE("a walk fills the next level that has little more entries than it has pages") {
  const TlbLayout layout = tlb_layout(second_level());
  CHECK(walk_fills_next(layout, layout.walk, layout.span));
  CHECK_FALSE(walk_fills_next(layout, 2 * layout.walk, layout.span));
  CHECK_FALSE(walk_fills_next(layout, layout.walk, 4 * layout.span));
}
