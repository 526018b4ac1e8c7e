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

TEST_CASE("reads through other paths run at the rate of the cache that serves the path, and constants count once") {
  Gpu gpu = streaming_gpu();
  PrivateCache constants = gpu.caches.front();
  constants.paths = {chase::Path::constant};
  gpu.caches.push_back(constants);
  gpu.bandwidth->constant = 4;
  const streaming::Program program{
      .load = streaming::Load::constant, .element = 4, .threads = 1024, .bytes = 1024, .passes = 10};
  const auto result = stream(gpu, program);
  CHECK(result.moved == 1024 * 10 * 32 * gpu.sm_count);
  CHECK(result.bytes_per_cycle().front() == Approx(4).epsilon(0.05));
  streaming::Program texels = program;
  texels.load = streaming::Load::texture;
  CHECK_THROWS_WITH(stream(gpu, texels), Catch::Matchers::ContainsSubstring("no bandwidth of this path"));
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

TEST_CASE("under load a byte waits for others, so that the bandwidth nears the roof gradually") {
  Gpu gpu = streaming_gpu();
  const auto at = [&](std::int64_t ilp, std::int64_t threads) {
    return gigabytes_per_second(stream(gpu, {.ilp = ilp, .threads = threads, .bytes = 8 * mebibyte}));
  };
  // Of 20 B per cycle and a latency of dram_cycles, Little's law needs 20 x dram_cycles bytes: 4 SMs x 512 x n.
  const double sharp = at(1, 128);
  const double alone = at(1, 32);
  gpu.bandwidth->service.dram = dram_cycles / 4.0;
  CHECK(at(1, 128) < 0.97 * sharp);
  CHECK(at(1, 32) < alone);
  CHECK(at(8, 1024) == Approx(20).epsilon(0.02));
  // M/D/1: the latency at the share u of the roof is alone + service x u / (2 (1 - u)).
  const double u = at(1, 128) / 20;
  const double latency = 4 * 4 * 512.0 / (20 * u);
  CHECK(latency == Approx(dram_cycles + dram_cycles / 4.0 * u / (2 * (1 - u))).epsilon(1e-6));
}

TEST_CASE("what a warp does between its loads adds to their latency") {
  Gpu gpu = streaming_gpu();
  gpu.bandwidth->turn_cycles = 100;
  streaming::Program few{.threads = 32, .bytes = 8 * mebibyte};
  CHECK(gigabytes_per_second(stream(gpu, few)) == Approx(4 * 512.0 / (dram_cycles + 100)));
  gpu.bandwidth->request_cycles = ByElement{10, 20, 40, 80, 160};
  few.element = 4;
  few.bytes = 8 * mebibyte;
  CHECK(gigabytes_per_second(stream(gpu, few)) == Approx(4 * 128.0 / 140).epsilon(1e-6));
}

TEST_CASE("SMs that share a way to L2 share its rate, and those with the most neighbours are done last") {
  Gpu gpu = streaming_gpu();
  gpu.bandwidth->l2 = {1000, 1000, 1000};
  gpu.bandwidth->port = Port{.shared_by = {{0}, {1, 2, 3}}, .rate = 60};
  streaming::Program alone = many(streaming::Operation::read, mebibyte / 4);
  alone.sms = {1};
  CHECK(stream(gpu, alone).bytes_per_cycle().front() == Approx(48));
  alone.sms = {1, 3};
  CHECK(gigabytes_per_second(stream(gpu, alone)) == Approx(60));
  const auto equal = stream(gpu, many(streaming::Operation::read, mebibyte));
  CHECK(gigabytes_per_second(equal) == Approx(4 * 20.0));
  CHECK(equal.cycles[0] < equal.cycles[1]);
  streaming::Program queue = many(streaming::Operation::read, mebibyte);
  queue.distribution = streaming::Distribution::queued;
  CHECK(gigabytes_per_second(stream(gpu, queue)) == Approx(48 + 60));
}

TEST_CASE("an access may take longer the wider it is") {
  Gpu gpu = streaming_gpu();
  gpu.bandwidth->access_cycles = {8, 8, 8, 8, 16};
  streaming::Program wide = many(streaming::Operation::read, mebibyte);
  CHECK(gigabytes_per_second(stream(gpu, wide)) == Approx(100));
  gpu.bandwidth->access_cycles = {8, 8, 8, 8, 32};
  CHECK(gigabytes_per_second(stream(gpu, wide)) == Approx(4 * 512.0 / 32));
}

TEST_CASE("narrow elements are bound by what an SM issues") {
  Gpu gpu = streaming_gpu();
  gpu.bandwidth->access_cycles.fill(4);
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

TEST_CASE("groups of SMs that leave one out break a rule that is named") {
  Gpu gpu = streaming_gpu();
  gpu.bandwidth->port = Port{.shared_by = {{0, 1}, {2}}, .rate = 60};
  const auto incomplete = violation(gpu);
  REQUIRE(incomplete);
  CHECK(incomplete->key == "bandwidth.port.shared_by");
}

}  // namespace tomograph::sim
