#include "acquire_banks.hpp"

#include <random>
#include <set>

#include "catch.hpp"
#include "memory_host.hpp"
#include "sim/simulator.hpp"

namespace {

using namespace tomograph;
using namespace tomograph::data_cache;

constexpr std::int64_t pages = 64;

/// One channel with lines of 256 B, of which eight are a row.
sim::Gpu gpu_with_channel(const sim::MemoryChannel& channel) {
  sim::Gpu gpu;
  gpu.name = "channel";
  gpu.sm_count = 1;
  gpu.l2.cache.line_size = gpu.l2.cache.sector_size = gpu.l2.cache.fetch_granularity = 256;
  gpu.l2.cache.set_ways = std::vector<std::int64_t>(512, 16);
  gpu.l2.latency = gpu.l2.far_latency = 200;
  gpu.dram = {500, 500, std::int64_t{1} << 34};
  gpu.dram.channel = channel;
  gpu.noise.dram_sigma = 15;
  return gpu;
}

EvictionSetting setting() {
  EvictionSetting setting;
  setting.memory = {.pages = pages, .line_size = 256};
  setting.sms = {0};
  return setting;
}

/// Experiments on such a GPU.
class Device {
 public:
  explicit Device(const sim::Gpu& gpu) : simulator_(gpu, sim::Options{}, 1) {
    host_.device = [this](const std::vector<Experiment>& batch, const tomograph_result_sink& sink) {
      const auto answers = simulator_.execute(batch);
      for (std::size_t i = 0; i < answers.size(); ++i) {
        REQUIRE(answers[i].status == TOMOGRAPH_OK);
        for (const ArrayView& array : answers[i].arrays) sink.array(sink.context, i, &array.crossing());
      }
      return tomograph_status{TOMOGRAPH_OK};
    };
  }
  [[nodiscard]] Session session() { return Session(*host_.abi()); }

 private:
  sim::Simulator simulator_;
  MemoryHost host_;
};

/// So many lines at random places, ascending, one of a row at most, and none of them the first of a page.
std::vector<std::int64_t> lines_at_random(std::size_t count, std::uint64_t seed) {
  const std::int64_t per_page = setting().memory.lines_per_page();
  std::mt19937_64 random(seed);
  std::set<std::int64_t> lines;
  while (lines.size() < count) {
    const auto line = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(pages * per_page));
    if (line % 8 == 2) lines.insert(line);
  }
  return {lines.begin(), lines.end()};
}

}  // namespace

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
