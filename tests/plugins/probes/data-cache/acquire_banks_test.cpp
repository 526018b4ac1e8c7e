#include "acquire_banks.hpp"

#include "catch.hpp"
#include "one_channel.hpp"

using namespace tomograph;
using namespace tomograph::data_cache;

TEST_CASE("sets of one channel are joined, but a set not with lines of its own rows or with itself") {
  Device device(gpu_with_channel({.banks = 20, .row = 2048, .run = 2048, .conflict_cycles = 100}));
  const Session session = device.session();
  const Repetitions repetitions{.of_lines = 32, .order = Order::random};
  const auto measured = [&](const std::vector<std::int64_t>& lines) {
    return measure_banks(session, setting(), lines, repetitions);
  };
  const auto lines = lines_at_random(50, 1);
  const MeasuredBanks one = measured(lines);
  const auto both = join_sets(session, setting(), one, measured(lines_at_random(50, 2)), repetitions);
  REQUIRE(both);
  CHECK(both->lines.size() == 100);
  CHECK(both->banks.lines.size() == 20);
  CHECK_FALSE(join_sets(session, setting(), one, one, repetitions));
  std::vector<std::int64_t> neighbours;
  for (const std::int64_t line : lines) neighbours.push_back(line + 1);
  CHECK_FALSE(join_sets(session, setting(), one, measured(neighbours), repetitions));
}

TEST_CASE("pairs that are loaded several times show conflicts which noise hides from single loads") {
  Device device(gpu_with_channel({.banks = 20, .row = 2048, .run = 2048, .conflict_cycles = 40}));
  const auto lines = lines_at_random(80, 1);
  constexpr double deviations = 3.5;
  CHECK_FALSE(measure_banks(device.session(), setting(), lines, {}).exceeds(deviations));
  const Repetitions several{.of_lines = 64, .order = Order::random, .of_pairs = 5};
  const MeasuredBanks found = measure_banks(device.session(), setting(), lines, several);
  CHECK(found.exceeds(deviations));
  CHECK(found.banks.conflicts.size() * 20 > found.banks.pairs * 19);
}

TEST_CASE("refreshes whose period is that of turns are found by loads in random order") {
  // A turn of eight loads takes about 8 * (200 + 512 + 500) cycles, and more where it waits for a refresh.
  int hidden_from_turns = 0;
  for (const std::int64_t period : {10500, 10600, 10700, 10750}) {
    Device device(gpu_with_channel({.banks = 8,
                                    .row = 2048,
                                    .run = 2048,
                                    .conflict_cycles = 100,
                                    .refresh_period = period,
                                    .refresh_cycles = period / 8}));
    const MeasuredBanks measured = measure_banks(device.session(), setting(), lines_at_random(60, 1), {});
    const auto found = [&](Order order) {
      const RefreshTrace trace = trace_refresh(device.session(), setting(), measured, order);
      return find_refresh(trace.stretches, trace.cut);
    };
    hidden_from_turns += found(Order::in_turn) ? 0 : 1;
    const auto refresh = found(Order::random);
    REQUIRE(refresh);
    CHECK(refresh->period == Approx(period).epsilon(0.001));
  }
  CHECK(hidden_from_turns > 0);
}
