#include "sim/gpu/shared_memory.hpp"

#include "catch.hpp"
#include "measuring.hpp"
#include "tomograph/shared_access.hpp"

namespace tomograph::sim {
namespace {

using shared_access::Operation;
using shared_access::Program;
using shared_access::strided;

SharedMemory plain_memory() {
  SharedMemory memory;
  memory.size_per_sm = 65536;
  memory.size_per_block = 49152;
  memory.latency = 30;
  memory.conflict_cycles = 2;
  return memory;
}

/// Banks of 8 B that get 4 or 8 B before the next one's turn.
SharedMemory kepler_memory() {
  SharedMemory memory = plain_memory();
  memory.bank_width = 8;
  memory.modes = {4, 8};
  return memory;
}

Gpu gpu_with(const SharedMemory& memory) {
  Gpu gpu = gpu_with_l1(classical_cache(128, {8}));
  gpu.shared_memory = memory;
  gpu.instrument.total_overhead = 20;
  return gpu;
}

Answer answer(const Gpu& gpu, const Program& program, const Options& options = {}) {
  return Simulator(gpu, options, 1).execute(std::vector{shared_access::encode(program)}).front();
}

/// Cycles of one access of every stream.
double pace(const SharedMemory& memory, Program program) {
  program.accesses = 1000;
  program.bytes = 16384;
  const auto result = shared_access::decode_result(answer(gpu_with(memory), program));
  return (result.cycles.front() - result.overhead) / 1000;
}

std::int64_t stride_passes(const SharedMemory& memory, std::int64_t mode, std::int64_t words) {
  return passes(memory, *memory.interleave(mode), 4, strided(32, 4 * words));
}

TEST_CASE("a stride takes as many passes as its greatest common divisor with the number of banks") {
  const SharedMemory memory = plain_memory();
  for (const auto& [stride, degree] : {std::pair{1, 1}, {2, 2}, {3, 1}, {6, 2}, {8, 8}, {32, 32}, {33, 1}, {64, 32}}) {
    CHECK(stride_passes(memory, 0, stride) == degree);
  }
  CHECK(stride_passes(memory, 0, 0) == 1);
}

TEST_CASE("Kepler's two modes conflict as Mei & Chu 2017 found") {
  const SharedMemory memory = kepler_memory();
  // Section 6.2 and Figs. 18, 19: a stride of 2 is free in both modes, one of 4 is a 2-way conflict in both, one of 6
  // in 4-byte mode only.
  CHECK(stride_passes(memory, 4, 2) == 1);
  CHECK(stride_passes(memory, 8, 2) == 1);
  CHECK(stride_passes(memory, 4, 4) == 2);
  CHECK(stride_passes(memory, 8, 4) == 2);
  CHECK(stride_passes(memory, 4, 6) == 2);
  CHECK(stride_passes(memory, 8, 6) == 1);
}

TEST_CASE("wide accesses take a pass for each row of the banks, and broadcasts one") {
  const SharedMemory memory = plain_memory();
  CHECK(passes(memory, 4, 16, std::vector<std::int64_t>(32, 0)) == 1);
  CHECK(passes(memory, 4, 8, strided(32, 8)) == 2);
  CHECK(passes(memory, 4, 16, strided(32, 16)) == 4);
  CHECK(passes(kepler_memory(), 8, 8, strided(32, 8)) == 1);
}

TEST_CASE("lanes that are not served together take passes of their own") {
  SharedMemory memory = plain_memory();
  memory.phase_lanes = 16;
  CHECK(stride_passes(memory, 0, 0) == 2);
  CHECK(stride_passes(memory, 0, 1) == 2);
  CHECK(stride_passes(memory, 0, 2) == 2);
  CHECK(stride_passes(memory, 0, 4) == 4);
}

TEST_CASE("one stream takes the latency, and each further pass its cycles") {
  CHECK(pace(plain_memory(), {.offsets = {0}}) == 30);
  CHECK(pace(plain_memory(), {.offsets = std::vector<std::int64_t>(32, 0)}) == 30);
  CHECK(pace(plain_memory(), {.offsets = strided(4, 128)}) == 30 + 3 * 2);
}

TEST_CASE("throughput rises with warps x streams until the banks are busy all the time") {
  const Program loads{.offsets = strided(32, 4), .stream_shift = 128, .warp_shift = 128};
  const auto with = [&](std::int64_t warps, std::int64_t streams, std::int64_t ctas) {
    Program program = loads;
    program.warps = warps;
    program.streams = streams;
    program.ctas = ctas;
    return pace(plain_memory(), program);
  };
  CHECK(with(8, 1, 1) == 30);
  CHECK(with(8, 2, 1) == 30);
  CHECK(with(8, 8, 1) == 64);
  CHECK(with(16, 4, 1) == 64);
  CHECK(with(16, 2, 2) == 64);
}

TEST_CASE("a copy takes the banks twice") {
  const Program copy{.offsets = strided(32, 4),
                     .operation = Operation::copy,
                     .streams = 4,
                     .warps = 16,
                     .stream_shift = 128,
                     .warp_shift = 128,
                     .store_shift = 8192};
  CHECK(pace(plain_memory(), copy) == 128);
}

TEST_CASE("stores wait for banks and issue, but for no load") {
  Program stores{.offsets = strided(32, 4), .operation = Operation::store, .streams = 4};
  CHECK(pace(plain_memory(), stores) == 4 * plain_memory().pass_cycles);
  stores.offsets = strided(32, 8);
  CHECK(pace(plain_memory(), stores) == 2 * 4 * plain_memory().pass_cycles);
}

TEST_CASE("what the GPU has no room for or no mode for is unsupported, and all of it without shared memory") {
  const auto refused = [](const Gpu& gpu, const Program& program, const char* reason) {
    const Answer given = answer(gpu, program);
    CHECK(given.status == TOMOGRAPH_UNSUPPORTED);
    CHECK_THAT(given.reason, Catch::Matchers::ContainsSubstring(reason));
  };
  const Gpu gpu = gpu_with(plain_memory());
  refused(gpu, {.accesses = 1, .bytes = 49156}, "at most 49152 B");
  refused(gpu, {.accesses = 1, .ctas = 2, .bytes = 49152}, "no room");
  refused(gpu, {.accesses = 1, .warps = 32, .ctas = 3, .bytes = 64}, "no room");
  refused(gpu, {.accesses = 1, .bytes = 64, .mode = 4}, "cannot be set to 4 B");
  refused(gpu_with_l1(classical_cache(128, {8})), {.accesses = 1, .bytes = 64}, "no shared memory");
  CHECK(answer(gpu, {.accesses = 1, .bytes = 2}).status == TOMOGRAPH_INVALID);
}

TEST_CASE("each SM answers, with jitter that grows as the root of the accesses") {
  SharedMemory memory = plain_memory();
  memory.sigma = 1;
  const Program program{.accesses = 10000, .bytes = 64};
  const auto result = shared_access::decode_result(answer(gpu_with(memory), program));
  REQUIRE(result.cycles.size() == 4);
  for (const double cycles : result.cycles) CHECK(std::abs(cycles - 300020) < 600);
  CHECK(result.cycles[0] != result.cycles[1]);
  const auto quiet = shared_access::decode_result(answer(gpu_with(memory), program, {.noise = false}));
  CHECK(quiet.cycles == std::vector<double>(4, 300020));
}

}  // namespace
}  // namespace tomograph::sim
