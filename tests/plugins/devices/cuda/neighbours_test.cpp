#include "catch.hpp"
#include "cuda/neighbours/signs.hpp"

using namespace tomograph::cuda;
using namespace std::chrono_literals;

namespace {

const Turns::Time start{std::chrono::hours(1)};

}  // namespace

TEST_CASE("a GPU on which nobody else had a turn is not in use, and a delay there is a reason to watch the clock") {
  const Turns turns;
  CHECK_FALSE(turns.are_recent(start));
  CHECK(turns.are_doubtful(start));
  CHECK_FALSE(turns.may_lie_in(1h));
}

TEST_CASE("after a turn another program counts as present for a while, and not for ever") {
  Turns turns;
  turns.add(start, 2ms);
  CHECK(turns.are_recent(start + 500ms));
  CHECK_FALSE(turns.are_recent(start + 2s));
}

TEST_CASE("delays of the host's own making do not make it watch the clock all the time") {
  Turns turns;
  turns.none(start);
  CHECK_FALSE(turns.are_doubtful(start + 50ms));
  CHECK(turns.are_doubtful(start + 300ms));
}

TEST_CASE("what takes as long as a turn usually does may contain one, which one cut turn does not change") {
  Turns turns;
  for (const auto length : {2000us, 2010us, 100us, 1990us}) turns.add(start, length);
  CHECK(turns.may_lie_in(2050us));
  CHECK_FALSE(turns.may_lie_in(1500us));
}
