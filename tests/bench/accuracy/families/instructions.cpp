// Pipelines of instructions, one type per GPU, and divergence.
#include <algorithm>
#include <cmath>
#include <sstream>

#include "draw.hpp"
#include "family.hpp"
#include "random_cache.hpp"
#include "tomograph/analysis/occupancy_roofline.hpp"

namespace tomograph::bench::instructions_family {

namespace {

using instruction::Type;

constexpr std::int64_t warp_size = 32;
/// Largest relative error that counts as right.
constexpr double tolerance = 0.02;

sim::Pipeline random_pipeline(Draw& draw) {
  sim::Pipeline pipeline;
  pipeline.issue = draw.one_in(3) ? draw.real(0.5, 16) : static_cast<double>(draw.power_of_two(1, 16));
  pipeline.completion = pipeline.issue + draw.real(1, 40);
  return pipeline;
}

sim::Gpu random_gpu(Draw& draw, Type type) {
  sim::Gpu gpu;
  gpu.name = "random";
  gpu.sm_count = 4;
  gpu.l2.cache = plain_cache(128, 32, 256, 16);
  gpu.l2.latency = gpu.l2.far_latency = 200;
  gpu.dram.latency = gpu.dram.far_latency = 400;
  gpu.instrument.total_overhead = draw.between(0, 50);
  gpu.instructions.emplace();
  gpu.instructions->schedulers = draw.power_of_two(1, 4);
  gpu.instructions->max_warps = 16 * draw.between(1, 4);
  gpu.instructions->loop_cycles = draw.real(0, 60);
  gpu.instructions->sigma = draw.real(0, 12);
  gpu.instructions->pipelines[type] = random_pipeline(draw);
  gpu.instructions->pipelines[Type::fp32_fma] = random_pipeline(draw);
  gpu.divergence = sim::Divergence{draw.power_of_two(4, 64), draw.real(0, 60)};
  gpu.api = {{"device.warp_size", warp_size}, {"device.max_warps_per_sm", gpu.instructions->max_warps}};
  return gpu;
}

/// Cycles per instruction of an SM with this many warps. Each scheduler issues for its warps in turn; the scheduler
/// with most warps ends last.
double truth_cpi(const sim::Gpu& gpu, const sim::Pipeline& pipeline, std::int64_t warps) {
  const std::int64_t most = (warps + gpu.instructions->schedulers - 1) / gpu.instructions->schedulers;
  return std::max(pipeline.completion, static_cast<double>(most) * pipeline.issue) / static_cast<double>(warps);
}

/// The fewest warps with less than 5 % below the peak, among those that CTAs of equally many warps add up to.
struct Ridge {
  std::int64_t warps = 0;
  bool at_the_edge = false;  ///< whether an occupancy is so close to 5 % that noise determines the answer
};

Ridge truth_ridge(const sim::Gpu& gpu, const sim::Pipeline& pipeline) {
  constexpr std::int64_t warps_of_a_cta = 32;
  std::vector<std::pair<std::int64_t, double>> curve;
  for (std::int64_t warps = 1; warps <= gpu.instructions->max_warps; ++warps) {
    if (warps <= warps_of_a_cta || warps % 2 == 0) curve.emplace_back(warps, truth_cpi(gpu, pipeline, warps));
  }
  const double best = std::ranges::min(curve, {}, &std::pair<std::int64_t, double>::second).second;
  constexpr double least = 1 - analysis::ridge_tolerance;
  // Exactly 5 % below is not less than 5 % below, whatever rounding makes of it.
  const auto found = std::ranges::find_if(curve, [&](const auto& point) { return best / point.second > least + 1e-9; });
  const bool at_the_edge =
      std::ranges::any_of(curve, [&](const auto& point) { return std::abs(best / point.second - least) < 0.003; });
  return {found->first, at_the_edge};
}

/// Whether four fifths of an SM's warps fill the pipelines, so that the curve has a plateau.
bool levels_out(const sim::Gpu& gpu, const sim::Pipeline& pipeline, std::int64_t ilp) {
  const double chains = 0.8 * static_cast<double>(gpu.instructions->max_warps * ilp);
  return chains * pipeline.issue >= pipeline.completion * static_cast<double>(gpu.instructions->schedulers);
}

void expect_pipeline(ExpectedFacts& facts, const sim::Gpu& gpu, const sim::Pipeline& pipeline) {
  const double issue = pipeline.issue / static_cast<double>(gpu.instructions->schedulers);
  const double rate = warp_size / issue;
  const bool full = levels_out(gpu, pipeline, 4);
  facts.within("completion_latency", pipeline.completion, tolerance * pipeline.completion);
  facts.within("issue_latency", issue, tolerance * issue, full);
  facts.within("throughput", rate, tolerance * rate, full);
  const Ridge ridge = truth_ridge(gpu, pipeline);
  facts.exact("ridge_warps", ridge.warps, levels_out(gpu, pipeline, 1) && !ridge.at_the_edge);
}

std::string geometry(const sim::Gpu& gpu, Type type) {
  const sim::Pipeline& pipeline = gpu.instructions->pipelines.at(type);
  std::ostringstream text;
  text << instruction::name(type) << " completion " << pipeline.completion << ", issue " << pipeline.issue << ", "
       << gpu.instructions->schedulers << " schedulers, " << gpu.instructions->max_warps << " warps, width "
       << gpu.divergence->width << ", sigma " << gpu.instructions->sigma;
  return text.str();
}

Case draw_case(std::uint64_t number) {
  Draw draw(number);
  const Type type = instruction::types.at(number % instruction::types.size());
  const sim::Gpu gpu = random_gpu(draw, type);
  ExpectedFacts facts(std::string("instruction.") + instruction::name(type) + ".");
  expect_pipeline(facts, gpu, gpu.instructions->pipelines.at(type));
  std::vector<Expected> expected = facts.take();
  ExpectedFacts divergence("divergence.");
  divergence.exact("coherent_threads", gpu.divergence->width);
  for (Expected& one : divergence.take()) expected.push_back(std::move(one));
  return {.number = number,
          .kind = instruction::name(type),
          .gpu = gpu,
          .geometry = geometry(gpu, type),
          .expected = std::move(expected)};
}

}  // namespace

Family make() {
  return {
      .name = "instructions", .plugins = {"instruction-throughput", "divergence"}, .smoke_cases = 8, .draw = draw_case};
}

}  // namespace tomograph::bench::instructions_family
