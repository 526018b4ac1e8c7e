#include "tomograph/streaming.hpp"

#include <string>

#include "catch.hpp"
#include "measuring.hpp"

namespace tomograph::sim {

namespace {

constexpr std::int64_t mebibyte = std::int64_t{1} << 20;

/// 1 GHz, so that a byte per nanosecond is one per cycle; an L1 of 16 KiB and an L2 of 2 MiB.
Gpu streaming_gpu() {
  Gpu gpu = gpu_with_l1(classical_cache(128, std::vector<std::int64_t>(32, 4)));
  Bandwidth bandwidth;
  bandwidth.l1 = 64;
  bandwidth.sm = 48;
  bandwidth.l2 = {100, 60, 80};
  bandwidth.dram = {20e9, 15e9, 18e9};
  gpu.bandwidth = bandwidth;
  return gpu;
}

streaming::Result stream(const Gpu& gpu, const streaming::Program& program) {
  const Answer answer = Simulator(gpu, {.noise = false}, 1).execute(std::vector{streaming::encode(program)}).front();
  if (answer.status != TOMOGRAPH_OK) throw std::runtime_error(answer.reason);
  return streaming::decode_result(answer);
}

/// Enough bytes in flight for any level.
streaming::Program many(streaming::Operation operation, std::int64_t bytes) {
  return {.operation = operation, .ilp = 4, .threads = 256, .ctas_per_sm = 1, .bytes = bytes};
}

double gigabytes_per_second(const streaming::Result& result) { return result.bandwidth() / 1e9; }

}  // namespace

TEST_CASE("a footprint streams at the rate of the first level that holds it") {
  using streaming::Operation;
  const Gpu gpu = streaming_gpu();
  CHECK(gigabytes_per_second(stream(gpu, many(Operation::read, 8 * mebibyte))) == Approx(20));
  CHECK(gigabytes_per_second(stream(gpu, many(Operation::write, 8 * mebibyte))) == Approx(15));
  CHECK(gigabytes_per_second(stream(gpu, many(Operation::copy, 8 * mebibyte))) == Approx(18));
  CHECK(gigabytes_per_second(stream(gpu, many(Operation::read, mebibyte))) == Approx(100));
  CHECK(gigabytes_per_second(stream(gpu, many(Operation::write, mebibyte))) == Approx(60));
  CHECK(gigabytes_per_second(stream(gpu, many(Operation::copy, mebibyte))) == Approx(80));
  streaming::Program through_l1 = many(Operation::read, 4 * 16384);
  through_l1.load = streaming::Load::ca;
  CHECK(stream(gpu, through_l1).bytes_per_cycle().front() == Approx(64));
}

TEST_CASE("a copy needs room for source and destination, and a cold pass comes from memory") {
  const Gpu gpu = streaming_gpu();
  CHECK(gigabytes_per_second(stream(gpu, many(streaming::Operation::copy, 3 * mebibyte / 2))) == Approx(18));
  streaming::Program cold = many(streaming::Operation::read, mebibyte);
  cold.warm_passes = 0;
  CHECK(gigabytes_per_second(stream(gpu, cold)) == Approx(20));
}

TEST_CASE("few bytes in flight stream at Little's rate, a single SM no faster than its way to L2") {
  const Gpu gpu = streaming_gpu();
  streaming::Program few{.threads = 32, .bytes = 8 * mebibyte};
  CHECK(gigabytes_per_second(stream(gpu, few)) == Approx(4 * 512.0 / dram_cycles));
  streaming::Program alone = many(streaming::Operation::read, mebibyte);
  alone.sms = {2};
  const auto result = stream(gpu, alone);
  CHECK(result.cycles.size() == 1);
  CHECK(result.bytes_per_cycle().front() == Approx(48));
}

TEST_CASE("narrow elements are bound by what an SM issues") {
  Gpu gpu = streaming_gpu();
  gpu.bandwidth->access_cycles = 4;
  streaming::Program narrow = many(streaming::Operation::read, mebibyte);
  narrow.element = 1;
  narrow.ctas_per_sm = 8;
  narrow.ilp = 8;
  CHECK(gigabytes_per_second(stream(gpu, narrow)) == Approx(4 * 32.0 / 4));
}

TEST_CASE("streaming is unsupported where nothing is said of bandwidth, and invalid on SMs that are not there") {
  Gpu gpu = streaming_gpu();
  streaming::Program far = many(streaming::Operation::read, mebibyte);
  far.sms = {4};
  const std::vector batch{streaming::encode(far)};
  CHECK(Simulator(gpu, {}, 1).execute(batch).front().status == TOMOGRAPH_INVALID);
  gpu.bandwidth.reset();
  CHECK(Simulator(gpu, {}, 1).execute(batch).front().status == TOMOGRAPH_UNSUPPORTED);
}

TEST_CASE("a bandwidth of nothing breaks a rule that is named") {
  Gpu gpu = streaming_gpu();
  gpu.bandwidth->l2.copy = 0;
  const auto broken = violation(gpu);
  REQUIRE(broken);
  CHECK(broken->key == "bandwidth.l2.copy");
}

}  // namespace tomograph::sim
