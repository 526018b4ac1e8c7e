#include "sim/kernel/steady_state.hpp"

#include <array>
#include <numeric>

#include "catch.hpp"
#include "sim/gpu/reader.hpp"
#include "sim/kernel/instrument.hpp"
#include "tomograph/kernel/kernel_trace.hpp"

namespace {

using namespace tomograph;

sim::Gpu pascal() { return sim::read_gpu(TOMOGRAPH_GPUS "/pascal-mdm.toml"); }

/// Loops of four random loads of `blocks` blocks each, of all SMs, as probes ask for them.
kernel::Kernel random_loads(std::int64_t warps, std::int64_t blocks, std::int64_t footprint) {
  kernel::Kernel kernel{.warps = warps, .ctas = 28, .iterations = 64, .footprint = footprint, .sms = {}};
  kernel.warm_passes = footprint < (1 << 22) ? 1 : 0;
  kernel.sms.resize(28);
  std::iota(kernel.sms.begin(), kernel.sms.end(), std::int64_t{0});
  const kernel::Hash random{.group = 32 / blocks, .block = std::max<std::int64_t>(128 / blocks, 32)};
  for (std::int64_t i = 0; i < 4; ++i) {
    kernel::Hash own = random;
    own.seed = i * 0x1e3779b9;
    kernel.loop.push_back({.operation = kernel::Operation::load,
                           .access = kernel::Access{.pattern = own, .cache = kernel::Cache::cg, .span = footprint}});
  }
  return kernel;
}

kernel::Result answer(const sim::Gpu& gpu, const kernel::Kernel& kernel) {
  const std::array batch{kernel::encode(kernel)};
  return kernel::decode_result(kernel, sim::Kernels(gpu).execute(batch).front());
}

double mean(const std::vector<double>& cycles) {
  return std::accumulate(cycles.begin(), cycles.end(), 0.0) / static_cast<double>(cycles.size());
}

double mean_of_whole_loop(const sim::Gpu& gpu, const kernel::Kernel& kernel) {
  const kernel::KernelTrace trace("whole", kernel);
  const auto times = sim::timed::simulate(gpu, {.trace = &trace, .sms = kernel.sms, .warm_passes = kernel.warm_passes});
  return mean({times.cycles.begin(), times.cycles.end()});
}

}  // namespace

TEST_CASE("a part of a long loop of random loads tells its cycles to 1 %") {
  const sim::Gpu gpu = pascal();
  const bool is_in_l2 = GENERATE(true, false);
  const std::int64_t blocks = is_in_l2 ? 4 : 16;
  const std::int64_t footprint = is_in_l2 ? 1 << 20 : 1 << 27;
  const kernel::Kernel kernel = random_loads(16, blocks, footprint);
  CAPTURE(blocks, footprint);
  REQUIRE(sim::timed::iterations_to_simulate(gpu, kernel) < kernel.iterations);
  const auto found = answer(gpu, kernel);
  CHECK(mean(found.cycles) == Approx(mean_of_whole_loop(gpu, kernel)).epsilon(0.01));
  CHECK(found.instructions == 28 * 16 * 64 * kernel::instructions_per_iteration(kernel));
}

TEST_CASE("only long loops of random loads alone are shortened") {
  const sim::Gpu gpu = pascal();
  const kernel::Kernel kernel = random_loads(16, 32, 1 << 20);
  const auto is_shortened = [&](const kernel::Kernel& other) {
    return sim::timed::iterations_to_simulate(gpu, other) < other.iterations;
  };
  REQUIRE(is_shortened(kernel));
  SECTION("not a short one") {
    kernel::Kernel few = kernel;
    few.iterations = 15;
    CHECK_FALSE(is_shortened(few));
  }
  SECTION("not one whose latency is asked for") {
    kernel::Kernel timed = kernel;
    timed.timed = 0;
    CHECK_FALSE(is_shortened(timed));
  }
  SECTION("not one whose loads have an order") {
    kernel::Kernel strides = kernel;
    strides.loop.back().access->pattern = kernel::Stride{};
    CHECK_FALSE(is_shortened(strides));
  }
  SECTION("not one that writes") {
    kernel::Kernel writes = kernel;
    writes.loop.back().operation = kernel::Operation::store;
    CHECK_FALSE(is_shortened(writes));
  }
  SECTION("not one whose CTAs run one after the other") {
    kernel::Kernel waves = kernel;
    waves.ctas *= 2;
    CHECK_FALSE(is_shortened(waves));
  }
}

TEST_CASE("a change of all seeds is another trial, a change of one is another kernel") {
  const sim::Gpu gpu = pascal();
  kernel::Kernel kernel = random_loads(1, 32, std::int64_t{1} << 27);
  kernel.iterations = 8;
  const auto before = answer(gpu, kernel).cycles;
  for (kernel::Step& step : kernel.loop) {
    auto& seed = std::get<kernel::Hash>(step.access->pattern).seed;
    seed = (seed + 0xfffffff0) & 0xffffffff;
  }
  CHECK(answer(gpu, kernel).cycles == before);
  kernel.loop.back().access->pattern = kernel.loop.front().access->pattern;
  CHECK(answer(gpu, kernel).cycles != before);
}
