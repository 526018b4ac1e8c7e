#include <algorithm>

#include "catch.hpp"
#include "cuda/shared_access/instrument.hpp"
#include "tomograph/cuda/error.hpp"

using namespace tomograph;
using shared_access::Operation;
using shared_access::Program;
using shared_access::strided;

namespace {

/// The instrument on the first GPU; without one, the test case ends as skipped.
cuda::SharedAccess first_gpu() {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) skip_here("no CUDA device");
  cuda::check(cudaSetDevice(0), "selecting the device");
  return cuda::SharedAccess(0);
}

/// Cycles of one access of every stream.
double pace(cuda::SharedAccess& gpu, const Program& program) {
  const Answer answer = gpu.execute(std::vector{shared_access::encode(program)}).front();
  INFO(answer.reason);
  REQUIRE(answer.status == TOMOGRAPH_OK);
  auto [cycles, overhead] = shared_access::decode_result(answer);
  std::ranges::sort(cycles);
  return (cycles[cycles.size() / 2] - overhead) / static_cast<double>(program.accesses);
}

tomograph_status status(cuda::SharedAccess& gpu, const Program& program) {
  return gpu.execute(std::vector{shared_access::encode(program)}).front().status;
}

}  // namespace

TEST_CASE("lanes that access rows of one bank wait for each other, lanes at one word do not") {
  auto gpu = first_gpu();
  const auto with = [&](std::vector<std::int64_t> offsets) {
    return pace(gpu, {.offsets = std::move(offsets), .accesses = 1024, .bytes = 65536});
  };
  const double alone = with({0});
  CHECK(with(strided(32, 0)) == Approx(alone).epsilon(0.01));
  CHECK(with(strided(32, 2048)) > alone + 31);
}

TEST_CASE("streams and warps run at the same time, on all their lanes, until the banks are busy") {
  auto gpu = first_gpu();
  Program program{.offsets = strided(32, 4), .accesses = 1024, .stream_shift = 128, .bytes = 1024};
  const double alone = pace(gpu, program);
  program.streams = 2;
  CHECK(pace(gpu, program) < 1.5 * alone);
  program.streams = 8;
  program.warps = 32;
  // No bank of 4 or 8 B gives more than a word per cycle.
  CHECK(pace(gpu, program) > 32 * 8 * 0.45);
}

TEST_CASE("every store is carried out, though its stream stores to one address") {
  auto gpu = first_gpu();
  for (const std::int64_t width : {4, 8, 16}) {
    const Program stores{.offsets = strided(32, width),
                         .width = width,
                         .operation = Operation::store,
                         .accesses = 1024,
                         .warps = 32,
                         .bytes = 65536};
    // No bank of 4 or 8 B takes more than a word per cycle.
    CHECK(pace(gpu, stores) > 32 * 0.45 * static_cast<double>(width) / 4);
  }
}

TEST_CASE("copies of every width and number of streams run, and several CTAs share an SM") {
  auto gpu = first_gpu();
  for (const std::int64_t width : {4, 8, 16}) {
    for (const std::int64_t streams : {1, 2, 4, 6, 8}) {
      const std::int64_t loads = 2 * streams * 32 * width;
      const Program program{.offsets = strided(32, width),
                            .width = width,
                            .operation = Operation::copy,
                            .streams = streams,
                            .accesses = 100,
                            .warps = 2,
                            .ctas = 2,
                            .stream_shift = 32 * width,
                            .warp_shift = loads / 2,
                            .store_shift = loads,
                            .bytes = 2 * loads};
      CHECK(pace(gpu, program) > 0);
    }
  }
}

TEST_CASE("programs for which the GPU has no room or no mode are unsupported") {
  auto gpu = first_gpu();
  CHECK(status(gpu, {.accesses = 1, .bytes = 1 << 24}) == TOMOGRAPH_UNSUPPORTED);
  CHECK(status(gpu, {.accesses = 1, .warps = 32, .ctas = 64, .bytes = 64}) == TOMOGRAPH_UNSUPPORTED);
  CHECK(status(gpu, {.accesses = 1, .bytes = 64, .mode = 8}) == TOMOGRAPH_UNSUPPORTED);
  CHECK(status(gpu, {.accesses = 0, .bytes = 64}) == TOMOGRAPH_INVALID);
}
