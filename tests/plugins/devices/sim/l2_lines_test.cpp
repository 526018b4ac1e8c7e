#include "tomograph/l2_lines.hpp"

#include <numeric>

#include "catch.hpp"
#include "measuring.hpp"

namespace tomograph::sim {
namespace {

constexpr l2_lines::Memory memory{1, 128};

/// Four slices by bits 7 and 8, of which 0 and 1 are equally far from each SM, as are 2 and 3.
Gpu gpu_with_slices() {
  Gpu gpu = gpu_with_l1(classical_cache(128, {8}));
  gpu.sm_count = 8;
  gpu.l2.latency = gpu.l2.far_latency = 200;
  gpu.l2.slices = 4;
  gpu.l2.sm_latency_spread = 20;
  gpu.l2.slice_function = SliceFunction{.masks = {0x80, 0x100}, .twins = 2};
  return gpu;
}

Answer lines_answer(const Gpu& gpu, const Experiment& experiment) {
  return Simulator(gpu, {}, 1).execute(std::vector{experiment}).front();
}

double rate(const Gpu& gpu, const std::vector<std::int64_t>& lines) {
  const l2_lines::Contention program{.memory = memory, .sets = {lines}, .sms = {}, .warps = 32, .loads = 4};
  return decode_result(program, lines_answer(gpu, encode(program))).rate.front();
}

TEST_CASE("lines of a slice, and of its twin, are equally far from each SM") {
  const l2_lines::Latencies program{.memory = memory, .lines = {0, 1, 2, 3, 4}, .rounds = 4};
  const auto result = decode_result(program, lines_answer(gpu_with_slices(), encode(program)));
  REQUIRE(result.latency.size() == 5 * 8);
  int different = 0;
  for (std::size_t sm = 0; sm < 8; ++sm) {
    const auto* const row = result.latency.data() + sm * 5;
    CHECK(row[0] == row[1]);
    CHECK(row[2] == row[3]);
    CHECK(row[0] == row[4]);
    different += row[0] != row[2] ? 1 : 0;
  }
  CHECK(different > 0);
}

TEST_CASE("the remainder of a number is the slice, and its quotient chooses the set by parities and a remainder") {
  const SliceFunction function{.factor = 5, .factor_shift = 10, .number_masks = {0x480}};
  const QuotientIndex index{.places = {0x100},
                            .parities = {0x1, 0x4002},
                            .remainder_by = 3,
                            .remainder_from_bit = 1,
                            .remainder_lowest_bits = {0x6}};
  // Bits from 10 on make 11, of which 0x480 is even: a number of 10, twice 5.
  CHECK(function.number(0x2c80) == 0);
  CHECK(index.set_in_slice(function, 0x2c80) == (2 % 2 | 1U << 1U | 1U << 2U));
  // The place is another: so is the second parity.
  CHECK(index.set_in_slice(function, 0x2d80) == (0 | 1U << 2U));
  CHECK(index.sets() == 12);
}

TEST_CASE("lines of two slices are served at twice the rate of one, twins or not") {
  const Gpu gpu = gpu_with_slices();
  CHECK(rate(gpu, {0}) == Approx(1));
  CHECK(rate(gpu, {0, 4}) == Approx(1));
  CHECK(rate(gpu, {0, 1}) == Approx(2));
  CHECK(rate(gpu, {0, 2}) == Approx(2));
}

TEST_CASE("where copies are kept, lines of two homes share a slice of each partition") {
  Gpu gpu = gpu_with_slices();
  gpu.l2.partitions = 2;
  gpu.l2.home_masks = {0x1000};
  gpu.l2.replicate = true;
  gpu.l2.slice_function->copy_cycles = 14;
  const std::vector<std::int64_t> homes{0, 32};
  CHECK(rate(gpu, {0}) == Approx(2));
  CHECK(rate(gpu, homes) == Approx(2));
  CHECK(rate(gpu, {0, 1}) == Approx(4));
  const l2_lines::Contention half{.memory = memory, .sets = {homes}, .sms = {0, 1, 2, 3}, .warps = 32, .loads = 4};
  CHECK(decode_result(half, lines_answer(gpu, encode(half))).rate.front() == Approx(1));
  const l2_lines::Latencies program{.memory = memory, .lines = homes, .rounds = 2};
  const auto latency = decode_result(program, lines_answer(gpu, encode(program))).latency;
  for (std::size_t sm = 0; sm < 8; ++sm) {
    const auto difference = static_cast<int>(latency[sm * 2]) - static_cast<int>(latency[sm * 2 + 1]);
    CHECK(std::abs(difference) == 14);
    const bool like_first = (difference > 0) == (latency[0] > latency[1]);
    CHECK(like_first == (sm < 4));
  }
}

TEST_CASE("a disabled slice has no line, and remainders by five make five slices of equal size") {
  SliceFunction function{.masks = {0x80}, .factor = 5, .factor_shift = 8, .disabled = {}};
  std::vector<int> lines(10);
  for (std::uint64_t line = 0; line < 1000; ++line) ++lines.at(function(line * 128));
  CHECK(lines == std::vector(10, 100));
  function.disabled = {4};
  CHECK(function.slices() == 9);
  std::vector<int> others(9);
  for (std::uint64_t line = 0; line < 1000; ++line) ++others.at(function(line * 128));
  CHECK(std::accumulate(others.begin(), others.end(), 0) == 1000);
  for (const int count : others) CHECK(count > 100);
}

TEST_CASE("the lowest bits of what a factor divides may be parities") {
  const SliceFunction function{.factor = 5, .factor_shift = 8, .number_masks = {0x500, 0xa00}, .disabled = {}};
  CHECK(function.divided(0) == 0);
  CHECK(function.divided(0x100) == 1);
  CHECK(function.divided(0x200) == 2);
  CHECK(function.divided(0x400) == 4 + 1);
  CHECK(function.divided(0xf00) == 12);
  CHECK(function(0x400) == 0);
}

TEST_CASE("SMs of a way to the network need not be in a row, and differ by the same number of cycles for each slice") {
  Gpu gpu = gpu_with_slices();
  gpu.l2.slice_function->parallel_groups = {{0, 2, 4, 6}, {1, 3, 5, 7}};
  CHECK_FALSE(violation(gpu));
  const Hierarchy hierarchy(gpu);
  const auto differs_evenly = [&](std::int64_t one, std::int64_t other) {
    const auto a = hierarchy.distances(one);
    const auto b = hierarchy.distances(other);
    for (std::size_t slice = 1; slice < a.size(); ++slice) {
      if (a[slice] - b[slice] != a[0] - b[0]) return false;
    }
    return true;
  };
  CHECK(differs_evenly(0, 6));
  CHECK(differs_evenly(1, 5));
  CHECK_FALSE(differs_evenly(0, 1));
  gpu.l2.slice_function->parallel_groups = {{0, 2, 4, 6}, {1, 3, 5}};
  CHECK(violation(gpu));
}

TEST_CASE("a GPU without a described slice function refuses experiments on lines") {
  Gpu gpu = gpu_with_slices();
  gpu.l2.slice_function.reset();
  CHECK(lines_answer(gpu, encode(l2_lines::Latencies{.memory = memory, .lines = {0}})).status == TOMOGRAPH_UNSUPPORTED);
}

/// An L2 of 64 sets of four ways that neighbouring lines choose in turn.
Gpu gpu_with_four_way_l2() {
  Gpu gpu = gpu_with_l1(classical_cache(128, {8}));
  gpu.l2.cache = classical_cache(128, std::vector<std::int64_t>(64, 4));
  return gpu;
}

/// Tests whether walks over lines that share the set of line 1 evict it: over so many of them in each test.
std::vector<std::uint32_t> late_after(const Gpu& gpu, const std::vector<std::int64_t>& others) {
  l2_lines::Evictions program{
      .memory = memory, .observers = {0}, .walkers = {0}, .limit = (l2_cycles + dram_cycles) / 2};
  for (const std::int64_t count : others) {
    auto& test = program.tests.emplace_back();
    test.targets = {{1, 1}};
    for (std::int64_t i = 1; i <= count; ++i) test.walk.push_back({1 + 64 * i, 1});
  }
  return decode_result(program, lines_answer(gpu, encode(program))).late;
}

TEST_CASE("a walk evicts a line if it fills the line's set") {
  CHECK(late_after(gpu_with_four_way_l2(), {0, 3, 4, 3, 5}) == std::vector<std::uint32_t>{2, 4});
}

TEST_CASE("a copy that a walk evicts comes from its home, and memory serves a line at home") {
  Gpu gpu = gpu_with_four_way_l2();
  gpu.l2.partitions = 2;
  gpu.l2.home_masks = {0x100};  // lines 2 and 3 of each four
  gpu.l2.far_latency = l2_cycles + 100;
  gpu.l2.replicate = true;
  l2_lines::Evictions program{.memory = memory, .observers = {0}, .walkers = {0}, .limit = l2_cycles + 50};
  for (const std::int64_t line : {1, 2}) {
    program.tests.push_back({{{line, 1}}, {{line + 64, 1}, {line + 128, 1}, {line + 192, 1}, {line + 256, 1}}});
  }
  const auto latency = decode_result(program, lines_answer(gpu, encode(program))).latency;
  REQUIRE(latency.size() == 2);
  const auto noise = 50;
  CHECK(std::abs(static_cast<int>(latency[0]) - static_cast<int>(dram_cycles)) < noise);
  CHECK(std::abs(static_cast<int>(latency[1]) - static_cast<int>(dram_cycles)) < noise);
  // Walkers of the other partition fill their own sets, and the sets of lines that are at home there.
  program.walkers = {3};
  const auto late = decode_result(program, lines_answer(gpu, encode(program))).late;
  CHECK(late.size() <= 1);
}

/// Cycles of steps of two lines each, all of which miss.
std::vector<std::uint32_t> pair_latencies(const Gpu& gpu, std::vector<std::int64_t> lines) {
  const l2_lines::Loads program{.memory = memory, .lines = std::move(lines), .width = 2};
  return decode_result(program, lines_answer(gpu, encode(program))).latency;
}

TEST_CASE("of two misses of a bank, the second waits unless both are in one row") {
  Gpu gpu = gpu_with_four_way_l2();
  gpu.dram.channel = {.banks = 1, .row = 16384, .run = 4096, .conflict_cycles = 300, .refresh_period = 1000000};
  const auto latency = pair_latencies(gpu, {1, 129, 65, 129 + 64, 1, 127});
  REQUIRE(latency.size() == 3);
  const auto about = [](std::uint32_t cycles, std::int64_t expected) {
    return std::abs(static_cast<std::int64_t>(cycles) - expected) < 100;
  };
  CHECK(about(latency[0], dram_cycles + 300));
  CHECK(about(latency[1], dram_cycles + 300));
  CHECK(about(latency[2], dram_cycles));
  // Now a row has four runs, between which lie those of the other bank.
  gpu.dram.channel->banks = 2;
  const auto runs = pair_latencies(gpu, {1, 65, 1, 257, 33, 257});
  CHECK(std::ranges::count_if(runs, [&](auto cycles) { return about(cycles, dram_cycles + 300); }) == 1);
}

TEST_CASE("a load that follows in its bank waits less the later it comes, and less if its row stays open") {
  constexpr std::int64_t run = 4096 / memory.line_size;
  Gpu gpu = gpu_with_four_way_l2();
  gpu.dram.channel = {.banks = 1, .row = 4096, .run = 4096, .conflict_cycles = 300, .refresh_period = 1000000};
  const auto delay = [&](std::int64_t second, std::int64_t apart) {
    l2_lines::Loads program{.memory = memory, .lines = {1, second}, .width = 2, .apart = apart};
    return static_cast<std::int64_t>(decode_result(program, lines_answer(gpu, encode(program))).latency.front()) -
           static_cast<std::int64_t>(dram_cycles);
  };
  const auto noise = 100;
  const std::int64_t same_row = 2;
  const std::int64_t other_row = 1 + run;
  CHECK(std::abs(delay(same_row, 0)) < noise);
  CHECK(std::abs(delay(other_row, 0) - 300) < noise);
  CHECK(std::abs(delay(same_row, 100) - 200) < noise);
  CHECK(std::abs(delay(other_row, 400)) < noise);
  gpu.dram.channel->open_row_cycles = 200;
  CHECK(std::abs(delay(same_row, 400) + 200) < noise);
  CHECK(std::abs(delay(other_row, 400)) < noise);
}

TEST_CASE("a bank serves no load while it refreshes") {
  Gpu gpu = gpu_with_four_way_l2();
  gpu.dram.channel = {.banks = 1, .row = 1024, .conflict_cycles = 0, .refresh_period = 9000, .refresh_cycles = 3000};
  l2_lines::Loads program{.memory = memory, .lines = {}, .rest = 512};
  for (std::int64_t i = 0; i < 400; ++i) program.lines.push_back(1 + 64 * (i % 8));
  const auto result = decode_result(program, lines_answer(gpu, encode(program)));
  std::size_t late = 0;
  for (const std::uint32_t cycles : result.latency) {
    late += cycles > dram_cycles + 150 ? 1 : 0;
    CHECK(cycles < dram_cycles + 3000 + 150);
  }
  CHECK(late > 10);
  CHECK(late < 200);
  gpu.dram.channel.reset();
  CHECK(lines_answer(gpu, encode(program)).status == TOMOGRAPH_UNSUPPORTED);
}

}  // namespace
}  // namespace tomograph::sim
