#include <algorithm>

#include "catch.hpp"
#include "cuda/streaming/instrument.hpp"

using namespace tomograph;
using Catch::Matchers::ContainsSubstring;

namespace {

constexpr std::int64_t mebibyte = std::int64_t{1} << 20;

/// The instrument of the first GPU; without one, the test case ends as skipped.
cuda::Streaming first_gpu() {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) skip_here("no CUDA device");
  cuda::check(cudaSetDevice(0), "selecting the device");
  static cuda::Arena arena(0, 0);
  static cuda::NeighbourMonitor monitor(0);
  return cuda::Streaming(0, arena, monitor);
}

std::vector<Answer> answers(cuda::Streaming& gpu, const std::vector<streaming::Program>& batch) {
  std::vector<Experiment> experiments;
  for (const auto& program : batch) experiments.push_back(streaming::encode(program));
  return gpu.execute(experiments);
}

streaming::Result run(cuda::Streaming& gpu, const streaming::Program& program) {
  const Answer answer = answers(gpu, {program}).front();
  INFO(answer.reason);
  REQUIRE(answer.status == TOMOGRAPH_OK);
  return streaming::decode_result(answer);
}

}  // namespace

TEST_CASE("every operation, path, element and ILP streams and reports how much it moved") {
  auto gpu = first_gpu();
  std::vector<streaming::Program> batch;
  for (const auto operation : {streaming::Operation::read, streaming::Operation::write, streaming::Operation::copy}) {
    for (const auto load : {streaming::Load::ca, streaming::Load::cg}) {
      for (const std::int64_t element : {1, 2, 4, 8, 16}) {
        for (const std::int64_t ilp : {1, 2, 4, 8}) {
          for (const auto distribution : {streaming::Distribution::interleaved, streaming::Distribution::queued}) {
            batch.push_back({.operation = operation,
                             .load = load,
                             .element = element,
                             .ilp = ilp,
                             .threads = 128,
                             .bytes = 8 * mebibyte,
                             .distribution = distribution,
                             .passes = 2});
          }
        }
      }
    }
  }
  const auto all = answers(gpu, batch);
  for (std::size_t i = 0; i < all.size(); ++i) {
    INFO(i << ": " << all[i].reason);
    REQUIRE(all[i].status == TOMOGRAPH_OK);
    const auto result = streaming::decode_result(all[i]);
    CHECK(result.moved == 2 * result.footprint * streaming::bytes_moved_per_byte(batch[i].operation));
    CHECK(result.elapsed_ns > 0);
    CHECK(std::ranges::min(result.cycles) > 0);
  }
}

TEST_CASE("a footprint in the L1 cache streams faster through it than past it") {
  auto gpu = first_gpu();
  streaming::Program program{.load = streaming::Load::ca,
                             .ilp = 4,
                             .threads = 256,
                             .sms = {0},
                             .bytes = 16384,
                             .distribution = streaming::Distribution::sliced,
                             .passes = 64,
                             .carveout = 0};
  const double through = run(gpu, program).bytes_per_cycle().front();
  program.load = streaming::Load::cg;
  program.ctas_per_sm = 1;
  program.threads = 64;
  const double past = run(gpu, program).bytes_per_cycle().front();
  CHECK(through > past);
}

TEST_CASE("the named SMs take part, and CTAs that do not fit are left out") {
  auto gpu = first_gpu();
  const auto some = run(gpu, {.threads = 1024, .ctas_per_sm = 1024, .sms = {1, 0}, .bytes = mebibyte});
  CHECK(some.cycles.size() == 2);
  CHECK(some.ctas_per_sm >= 1);
  CHECK(some.ctas_per_sm <= 2);
  const auto refused = answers(gpu, {{.sms = {100000}, .bytes = mebibyte}, {.bytes = mebibyte}});
  CHECK(refused[0].status == TOMOGRAPH_INVALID);
  CHECK_THAT(refused[0].reason, ContainsSubstring("SM"));
  CHECK(refused[1].status == TOMOGRAPH_OK);
}
