#include "analysis_trials.hpp"
#include "catch.hpp"
#include "experiments.hpp"

using namespace tomograph;
using namespace tomograph::runtime_calls;

namespace {

/// Three runs, of which an interrupt met the second: a call of 2 us, a first kernel after 5 us, further ones each `gap`
/// nanoseconds later, and synchronising 3 us after the last one.
StartsAnswer chain(double kernels, double gap) {
  const double last = 5000 + (kernels - 1) * gap;
  return {.called = {2000, 90'000, 2000},
          .first_seen = {5000, 93'000, 5000},
          .last_seen = {last, last + 88'000, last},
          .synchronised = {last + 3000, last + 200'000, last + 3000}};
}

}  // namespace

TEST_CASE("starts are medians of runs, so that an interrupted one does not count") {
  const std::vector<StartsAnswer> trials{chain(1, 0), chain(1, 0)};
  CHECK(latencies(trials).front() == Approx(5e-6));
  CHECK(calls(trials).front() == Approx(2e-6));
  CHECK(synchronisations(trials).front() == Approx(3e-6));
  CHECK(latencies(trials).size() == 2);
}

TEST_CASE("the period of kernels is what further ones add to a chain") {
  const std::vector<StartsAnswer> few{chain(16, 1400)};
  const std::vector<StartsAnswer> many{chain(144, 1400)};
  CHECK(periods(few, many, 128).front() == Approx(1.4e-6));
  CHECK_THROWS_AS(periods(few, {}, 128), std::invalid_argument);
}

TEST_CASE("a late first kernel does not change the period of those after it") {
  const auto later = [](StartsAnswer answer) {
    for (auto* times : {&answer.first_seen, &answer.last_seen}) {
      for (double& one : *times) one += 70'000;
    }
    return answer;
  };
  const std::vector<StartsAnswer> few{later(chain(16, 1400))};
  const std::vector<StartsAnswer> many{chain(144, 1400)};
  CHECK(periods(few, many, 128).front() == Approx(1.4e-6));
}

TEST_CASE("the rate of copies leaves out what each run takes beside them") {
  const std::vector<MovesAnswer> few{{7000 + 1e6}};
  const std::vector<MovesAnswer> many{{7000 + 3e6}};
  CHECK(rates(few, many, 4e9).front() == Approx(2e12));
  CHECK_THROWS_AS(rates(few, {}, 4e9), std::invalid_argument);
}

TEST_CASE("experiments are read as they were written") {
  const auto starts =
      decode_starts(encode(StartsRequest{.graph = true, .held = true, .kernels = 16, .runs = 9, .trial = 3}));
  CHECK(starts.graph);
  CHECK(starts.held);
  CHECK(starts.kernels == 16);
  CHECK(starts.runs == 9);
  CHECK(starts.trial == 3);
  const auto moves = decode_moves(encode(MovesRequest{.copies = false, .bytes = 4096, .passes = 3, .trial = 2}));
  CHECK_FALSE(moves.copies);
  CHECK(moves.bytes == 4096);
  CHECK(moves.passes == 3);
  CHECK(moves.trial == 2);
  CHECK_THROWS_AS(decode_starts(encode(StartsRequest{.kernels = 0})), std::invalid_argument);
  CHECK_THROWS_AS(decode_moves(encode(MovesRequest{.bytes = 0})), std::invalid_argument);
}

TEST_CASE("an answer has a time for each run") {
  const StartsRequest request{.runs = 3};
  const Answer answer{.arrays = encode(chain(1, 0))};
  CHECK(decode_result(request, answer).called == chain(1, 0).called);
  CHECK_THROWS_AS(decode_result(StartsRequest{.runs = 2}, answer), std::invalid_argument);
}
