#include "catch.hpp"
#include "cuda/divergence/instrument.hpp"
#include "cuda/instruction/instrument.hpp"
#include "tomograph/analysis/occupancy_roofline.hpp"

using namespace tomograph;
using instruction::Body;
using instruction::Type;

namespace {

void expect_gpu() {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) skip_here("no CUDA device");
  cuda::check(cudaSetDevice(0), "selecting the device");
}

SmRuns runs(Instrument& instrument, const Experiment& experiment, std::int64_t repetitions) {
  const Answer answer = instrument.execute(std::vector{experiment}).front();
  INFO(answer.reason);
  REQUIRE(answer.status == TOMOGRAPH_OK);
  return decode_sm_runs(answer, repetitions);
}

double cycles(Instrument& gpu, instruction::Program program) {
  program.passes = 8;
  program.body = Body::short_body;
  const SmRuns brief = runs(gpu, encode(program), 1);
  program.body = Body::long_body;
  const SmRuns lengthy = runs(gpu, encode(program), 1);
  return analysis::cycles_per_instruction({brief.runs.front(), lengthy.runs.front()},
                                          lengthy.instructions - brief.instructions, program.warps);
}

}  // namespace

TEST_CASE("an SM holds the requested number of CTAs at the same time, whatever their size") {
  expect_gpu();
  cuda::InstructionThroughput gpu(0);
  for (const auto& [ctas, warps] : {std::pair{1, 1}, {1, 32}, {2, 16}, {4, 8}, {8, 2}, {16, 2}}) {
    const SmRuns found = runs(gpu, encode(instruction::Program{.warps = warps, .ctas = ctas, .repetitions = 20}), 20);
    for (const SmRun& run : found.runs) {
      CHECK(run.ctas == static_cast<std::uint32_t>(ctas));
      CHECK(run.concurrent == static_cast<std::uint32_t>(ctas));
    }
  }
}

TEST_CASE("independent instructions and further warps take less time each") {
  expect_gpu();
  cuda::InstructionThroughput gpu(0);
  for (const Type type : {Type::fp32_add, Type::fp32_fma, Type::int32_add, Type::fp64_fma, Type::special}) {
    INFO(instruction::name(type));
    const double dependent = cycles(gpu, {.type = type, .ilp = 1, .warps = 1});
    CHECK(dependent > 2);
    CHECK(cycles(gpu, {.type = type, .ilp = 2, .warps = 1}) < 0.7 * dependent);
    CHECK(cycles(gpu, {.type = type, .ilp = 1, .warps = 4}) < 0.35 * dependent);
  }
}

TEST_CASE("more repetitions than SMs are taken one after the other") {
  expect_gpu();
  cuda::InstructionThroughput gpu(0);
  CHECK(runs(gpu, encode(instruction::Program{.repetitions = 1000}), 1000).runs.size() == 1000);
}

TEST_CASE("branches within a warp take turns, branches of different warps do not") {
  expect_gpu();
  cuda::ThreadDivergence gpu(0);
  const auto total = [&](std::int64_t width) {
    return runs(gpu, divergence::encode({.width = width, .warps = 32, .body = Body::long_body, .passes = 8}), 1)
        .runs.front()
        .cycles;
  };
  CHECK(total(1) > 3 * total(32));
  CHECK(total(16) > 1.5 * total(32));
  CHECK(total(64) < 1.2 * total(32));
}

TEST_CASE("an occupancy that no SM can have is refused as unsupported") {
  expect_gpu();
  cuda::InstructionThroughput gpu(0);
  const Answer answer = gpu.execute(std::vector{encode(instruction::Program{.warps = 32, .ctas = 32})}).front();
  CHECK(answer.status == TOMOGRAPH_UNSUPPORTED);
}
