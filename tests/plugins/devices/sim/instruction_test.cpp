#include "catch.hpp"
#include "measuring.hpp"
#include "sim/instruction/instrument.hpp"
#include "tomograph/analysis/occupancy_roofline.hpp"
#include "tomograph/divergence.hpp"

namespace tomograph::sim {
namespace {

using instruction::Body;
using instruction::Type;

/// Two schedulers; every type but double precision takes 10 cycles, 4 at the least between two.
Gpu gpu_with_pipelines() {
  Gpu gpu = gpu_with_l1(classical_cache(128, {8}));
  gpu.instrument.total_overhead = 20;
  gpu.instructions.emplace();
  gpu.instructions->schedulers = 2;
  gpu.instructions->max_warps = 48;
  gpu.instructions->loop_cycles = 30;
  for (const Type type : instruction::types) gpu.instructions->pipelines[type] = {10, 4};
  gpu.instructions->pipelines.erase(Type::fp64_fma);
  gpu.divergence = Divergence{32, 12};
  return gpu;
}

Answer answer(const Gpu& gpu, const Experiment& experiment) {
  return Simulator(gpu, {}, 1).execute(std::vector{experiment}).front();
}

/// Cycles per instruction of a warp.
double cpi(const Gpu& gpu, std::int64_t ctas, std::int64_t warps, std::int64_t ilp) {
  const auto runs = [&](Body body) {
    const instruction::Program program{
        .type = Type::fp32_add, .ilp = ilp, .warps = warps, .ctas = ctas, .body = body, .passes = 4};
    return decode_sm_runs(answer(gpu, encode(program)), 1);
  };
  const SmRuns brief = runs(Body::short_body);
  const SmRuns lengthy = runs(Body::long_body);
  return analysis::cycles_per_instruction({brief.runs.front(), lengthy.runs.front()},
                                          lengthy.instructions - brief.instructions, warps);
}

double branch_cpi(const Gpu& gpu, std::int64_t width, std::int64_t warps) {
  const auto runs = [&](Body body) {
    return decode_sm_runs(answer(gpu, divergence::encode({.width = width, .warps = warps, .body = body, .passes = 4})),
                          1);
  };
  const SmRuns brief = runs(Body::short_body);
  const SmRuns lengthy = runs(Body::long_body);
  return analysis::cycles_per_instruction({brief.runs.front(), lengthy.runs.front()},
                                          lengthy.instructions - brief.instructions, warps);
}

TEST_CASE("one warp waits for each instruction, unless others are independent") {
  const Gpu gpu = gpu_with_pipelines();
  CHECK(cpi(gpu, 1, 1, 1) == Approx(10));
  CHECK(cpi(gpu, 1, 1, 2) == Approx(5));
  CHECK(cpi(gpu, 1, 1, 4) == Approx(4));
}

TEST_CASE("warps overlap until each scheduler issues without a pause") {
  const Gpu gpu = gpu_with_pipelines();
  CHECK(cpi(gpu, 1, 2, 1) == Approx(5));
  CHECK(cpi(gpu, 1, 4, 1) == Approx(2.5));
  CHECK(cpi(gpu, 1, 6, 1) == Approx(2));
  CHECK(cpi(gpu, 2, 24, 1) == Approx(2));
  // One scheduler has one more warp than the other, which is idle for a while.
  CHECK(cpi(gpu, 1, 7, 1) == Approx(4.0 * 4 / 7));
}

TEST_CASE("a pipeline may be described by what a warp takes with 1, 2 and 4 independent instructions") {
  Gpu gpu = gpu_with_pipelines();
  Pipeline& pipeline = gpu.instructions->pipelines.at(Type::fp32_add);
  pipeline.completion_by_ilp = {16, 12, 10};
  pipeline.issue_by_ilp = {2, 1.8, 1.5};
  CHECK(cpi(gpu, 1, 1, 1) == Approx(16));
  CHECK(cpi(gpu, 1, 1, 2) == Approx(12));
  CHECK(cpi(gpu, 1, 1, 4) == Approx(10));
  const auto schedulers = static_cast<double>(gpu.instructions->schedulers);
  CHECK(cpi(gpu, 2, 24, 1) == Approx(2 / schedulers));
  CHECK(cpi(gpu, 2, 24, 4) == Approx(1.5 / schedulers));
}

TEST_CASE("with fewer warps than its ridge has, an SM stays below the full rate") {
  Gpu gpu = gpu_with_pipelines();
  const double full = cpi(gpu, 2, 24, 1);
  gpu.instructions->pipelines.at(Type::fp32_add).ridge_warps = {20, 1, 1};
  CHECK(cpi(gpu, 1, 20, 1) == Approx(full));
  CHECK(cpi(gpu, 1, 18, 1) == Approx(full / 0.9));
}

TEST_CASE("how warps are distributed over CTAs makes no difference") {
  const Gpu gpu = gpu_with_pipelines();
  CHECK(cpi(gpu, 1, 8, 1) == Approx(cpi(gpu, 4, 2, 1)));
}

TEST_CASE("threads of a warp take the time of every branch that one of them follows") {
  const Gpu gpu = gpu_with_pipelines();
  const double together = branch_cpi(gpu, 32, 8);
  CHECK(together == Approx(2));
  for (const auto& [width, branches] : {std::pair{1, 4}, {2, 4}, {8, 4}, {16, 2}, {64, 1}}) {
    CHECK(branch_cpi(gpu, width, 8) == Approx(together * branches));
  }
}

TEST_CASE("what a simulated GPU does not describe is refused as unsupported, with the reason") {
  Gpu gpu = gpu_with_pipelines();
  CHECK(answer(gpu, instruction::encode({.type = Type::fp64_fma})).reason ==
        "this GPU has no instructions of type fp64_fma");
  CHECK(answer(gpu, instruction::encode({.warps = 25, .ctas = 2})).status == TOMOGRAPH_UNSUPPORTED);
  gpu.divergence.reset();
  CHECK(answer(gpu, divergence::encode({})).status == TOMOGRAPH_UNSUPPORTED);
  gpu.instructions.reset();
  CHECK(answer(gpu, instruction::encode({})).status == TOMOGRAPH_UNSUPPORTED);
}

TEST_CASE("a program that breaks a rule is refused as invalid") {
  const Gpu gpu = gpu_with_pipelines();
  CHECK(answer(gpu, instruction::encode({.ilp = 3})).status == TOMOGRAPH_INVALID);
  CHECK(answer(gpu, divergence::encode({.width = 0})).status == TOMOGRAPH_INVALID);
}

TEST_CASE("pipelines that contradict themselves are refused by key") {
  const auto broken = [](auto change) {
    Gpu gpu = gpu_with_pipelines();
    change(gpu);
    const auto found = violation(gpu);
    return found ? found->key : "none";
  };
  CHECK(broken([](Gpu&) {}) == "none");
  CHECK(broken([](Gpu& gpu) {
          gpu.instructions->pipelines[Type::special] = {4, 5};
        }) == "instructions.special.completion");
  CHECK(broken([](Gpu& gpu) { gpu.instructions->pipelines.erase(Type::fp32_fma); }) == "divergence");
}

}  // namespace
}  // namespace tomograph::sim
