#include <algorithm>

#include "catch.hpp"
#include "cuda/l2_lines/instrument.hpp"
#include "cuda/l2_lines/timed_loads.hpp"

using namespace tomograph;

namespace {

/// The lines of the first GPU; without one, the test case ends as skipped.
cuda::LineMemory first_gpu() {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) skip_here("no CUDA device");
  cuda::check(cudaSetDevice(0), "selecting the device");
  static cuda::Arena arena(0, 0);
  return {0, arena};
}

template <typename Program>
auto run(Instrument& instrument, const Program& program) {
  const Answer answer = instrument.execute(std::vector{encode(program)}).front();
  INFO(answer.reason);
  REQUIRE(answer.status == TOMOGRAPH_OK);
  return decode_result(program, answer);
}

}  // namespace

TEST_CASE("one thread loads one line or two at a time, at growing times") {
  auto memory = first_gpu();
  cuda::L2Loads loads(memory, 0);
  for (const std::int64_t width : {1, 2}) {
    l2_lines::Loads program{.memory = {4, 128}, .lines = {}, .width = width, .sm = 1, .rest = 256};
    for (std::int64_t i = 0; i < 2000; ++i) program.lines.push_back(1 + 61 * i % (program.memory.lines() - 1));
    const auto result = run(loads, program);
    CHECK(std::ranges::is_sorted(result.start));
    CHECK(std::ranges::min(result.latency) > 50);
    CHECK(result.cycles > result.start.back());
    const double clock_hz = static_cast<double>(result.cycles) / result.seconds;
    CHECK(clock_hz > 1e8);
    CHECK(clock_hz < 1e10);
  }
}

TEST_CASE("the second of two loads is timed from its own start") {
  auto memory = first_gpu();
  cuda::L2Loads loads(memory, 0);
  const auto median = [&](std::optional<std::int64_t> apart) {
    l2_lines::Loads program{.memory = {4, 128}, .lines = {}, .width = 2, .apart = apart, .sm = 1, .rest = 256};
    for (std::int64_t i = 0; i < 2000; ++i) program.lines.push_back(1 + 61 * i % (program.memory.lines() - 1));
    std::vector<std::uint32_t> latency = run(loads, program).latency;
    std::ranges::sort(latency);
    return latency[latency.size() / 2];
  };
  CHECK(median(0) <= median(std::nullopt));
  CHECK(median(5000) < 1.2 * median(0));
}

TEST_CASE("lines that were loaded a few steps before come from memory again") {
  auto memory = first_gpu();
  std::vector<std::int64_t> lines;
  for (std::int64_t line = 1; line <= 32; ++line) lines.push_back(line);
  cuda::L2Latency latencies(memory, 0);
  const auto hit = run(latencies, l2_lines::Latencies{.memory = {1, 128}, .lines = lines, .sms = {1}});
  std::vector<std::uint32_t> hits = hit.latency;
  std::ranges::sort(hits);
  // The slowest hit may have waited for others. What memory adds is more than a quarter of a hit.
  const double slow = 1.25 * hits[hits.size() / 2];
  l2_lines::Loads program{.memory = {1, 128}, .lines = {}, .sm = 1, .rest = 64};
  for (int round = 0; round < 8; ++round) program.lines.insert(program.lines.end(), lines.begin(), lines.end());
  cuda::L2Loads loads(memory, 0);
  const auto missed = run(loads, program);
  CAPTURE(hits);
  CHECK(std::ranges::count_if(missed.latency, [&](auto cycles) { return cycles > slow; }) > 240);
}

TEST_CASE("an SM that the device lacks loads nothing") {
  auto memory = first_gpu();
  cuda::L2Loads loads(memory, 0);
  const l2_lines::Loads program{.memory = {1, 128}, .lines = {1}, .sm = 1 << 20};
  CHECK(loads.execute(std::vector{encode(program)}).front().status == TOMOGRAPH_INVALID);
}

TEST_CASE("additions of zero leave the lines as they were, and a line takes fewer of them than loads") {
  auto memory = first_gpu();
  cuda::L2Contention contention(memory);
  l2_lines::Contention program{.memory = {1, 128}, .sets = {{1}, {1, 2, 3, 4}}, .sms = {}, .warps = 8, .loads = 64};
  const auto loaded = run(contention, program);
  program.atomic = true;
  const auto added = run(contention, program);
  CHECK(added.rate.front() > 0);
  CHECK(added.rate.front() < loaded.rate.front());
  run(contention, program);  // traps unless all lines still hold zeros
}
