#include <algorithm>
#include <array>

#include "catch.hpp"
#include "cuda/chase/executor.hpp"
#include "cuda/chase/overhead.hpp"
#include "tomograph/cuda/device.hpp"
#include "tomograph/cuda/memory.hpp"

using namespace tomograph;
using Catch::Matchers::ContainsSubstring;

namespace {

/// An executor on the first GPU; without one, the test case ends as skipped.
cuda::Executor first_gpu() {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) skip_here("no CUDA device");
  cuda::check(cudaSetDevice(0), "selecting the device");
  static cuda::Arena arena(0, cuda::free_memory() / 2);
  return cuda::Executor(0, arena);
}

constexpr std::array all_paths{chase::Path::global_ca, chase::Path::global_cg,  chase::Path::global_nc,
                               chase::Path::texture,   chase::Path::texture_2d, chase::Path::constant,
                               chase::Path::shared};

/// Walks 8 KiB twice (1 KiB of constants), then times each load of a third pass.
chase::Program walk(chase::Path path, chase::Order order = chase::Order::shuffled) {
  chase::Program program;
  const chase::Space space = chase::space_of(path);
  const bool constant = space == chase::Space::constant;
  program.arrays = {{constant ? 1024 : 8192, chase::no_alias, space, space == chase::Space::texture ? 512 : 0}};
  program.rings = {{0, 0, constant ? 16 : 128, 64, order, 1, {}}};
  program.actors = {{chase::any_sm, path}};
  program.phases = {{0, 0, 0, 128, chase::Timing::untimed}, {0, 0, 0, 64, chase::Timing::each}};
  program.carveout = 0;
  return program;
}

chase::Result run(cuda::Executor& gpu, const chase::Program& program) {
  REQUIRE_FALSE(chase::violation(program));
  REQUIRE_FALSE(cuda::impossibility(program, gpu.limits()));
  auto outcomes = gpu.run({&program, 1});
  INFO(outcomes.front().failure.value_or(""));
  REQUIRE_FALSE(outcomes.front().failure);
  return std::move(outcomes.front().result);
}

std::uint32_t median(std::vector<std::uint32_t> values) {
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
  return values[values.size() / 2];
}

}  // namespace

TEST_CASE("a load that hits the L1 cache is faster than one that goes past it") {
  auto gpu = first_gpu();
  const auto through = median(run(gpu, walk(chase::Path::global_ca)).traces.front().latency);
  const auto past = median(run(gpu, walk(chase::Path::global_cg)).traces.front().latency);
  REQUIRE(2 * through < past);
}

TEST_CASE("timed in total, timed each and less their overheads, hits take the same time on every path") {
  auto gpu = first_gpu();
  const auto overhead = cuda::measure_overhead(gpu);
  for (const chase::Path path : all_paths) {
    if (path == chase::Path::global_cg) continue;
    auto program = walk(path);
    program.phases.push_back({0, 0, 0, 4096, chase::Timing::total});
    const auto result = run(gpu, program);
    const double each = median(result.traces.front().latency) - overhead.of(program).each;
    const double total = (result.totals.front() - overhead.of(program).total) / 4096;
    INFO("path " << static_cast<int>(path));
    CHECK(each == Approx(total).margin(3));
  }
}

TEST_CASE("rings on every path lead through their nodes in any order") {
  auto gpu = first_gpu();
  std::vector<chase::Program> batch;
  for (const chase::Path path : all_paths) {
    for (const auto order : {chase::Order::sequential, chase::Order::shuffled}) {
      batch.push_back(walk(path, order));
      batch.push_back(walk(path));
      batch.back().rings.front() = {0, 0, 0, 0, chase::Order::sequential, 0, {512, 8, 1016, 0}};
      batch.back().phases = {{0, 0, 1, 9, chase::Timing::each}};
    }
  }
  for (const auto& outcome : gpu.run(batch)) {
    INFO(outcome.failure.value_or(""));
    CHECK_FALSE(outcome.failure);
  }
}

TEST_CASE("a program finds the caches of every path cold, and warm after a walk") {
  auto gpu = first_gpu();
  for (const chase::Path path : {chase::Path::global_ca, chase::Path::global_nc, chase::Path::texture,
                                 chase::Path::texture_2d, chase::Path::constant}) {
    auto program = walk(path);
    program.phases = {{0, 0, 0, 64, chase::Timing::each}, {0, 0, 0, 64, chase::Timing::each}};
    for (int repetition = 0; repetition < 3; ++repetition) {
      const auto result = run(gpu, program);
      const auto& warm = result.traces[1].latency;
      INFO("path " << static_cast<int>(path) << ", warm " << median(warm));
      CHECK(std::ranges::max(warm) <= std::ranges::min(warm) + 4);
      CHECK(std::ranges::count_if(result.traces[0].latency, [&](auto cycles) { return cycles > 2 * median(warm); }) >=
            4);
    }
  }
}

TEST_CASE("the thread that is timed takes the same time in every warp") {
  auto gpu = first_gpu();
  for (const chase::Path path : all_paths) {
    if (path == chase::Path::global_cg) continue;
    std::vector<std::uint32_t> medians;
    for (const std::int64_t warp : {0, 1, 6, 31}) {
      auto program = walk(path);
      program.actors.front().warp = warp;
      medians.push_back(median(run(gpu, program).traces.front().latency));
    }
    INFO("path " << static_cast<int>(path));
    CHECK(std::ranges::max(medians) - std::ranges::min(medians) <= 1);
  }
}

TEST_CASE("two warps of an SM share its L1 cache, and workers walk beside them") {
  auto gpu = first_gpu();
  auto program = walk(chase::Path::global_ca);
  program.actors = {{chase::any_sm, chase::Path::global_ca, 1, 3},
                    {chase::any_sm, chase::Path::global_ca, 1, 9},
                    {chase::any_sm, chase::Path::global_ca, 1024}};
  program.phases = {
      {2, 0, 0, 4096, chase::Timing::total}, {0, 0, 0, 64, chase::Timing::each}, {1, 0, 0, 64, chase::Timing::each}};
  const auto result = run(gpu, program);
  const auto hit = median(run(gpu, walk(chase::Path::global_ca)).traces.front().latency);
  for (const auto& trace : result.traces) {
    std::string latencies;
    for (const auto cycles : trace.latency) latencies += std::to_string(cycles) + " ";
    INFO(latencies);
    CHECK(2 * std::ranges::max(trace.latency) < 4 * hit);
  }
  REQUIRE(result.totals.front() > 0);
}

TEST_CASE("workers walk on every path") {
  auto gpu = first_gpu();
  for (const chase::Path path : all_paths) {
    auto program = walk(path);
    program.actors.front().threads = 256;
    program.phases = {{0, 0, 0, 4096, chase::Timing::total}};
    CHECK(run(gpu, program).totals.front() > 0);
  }
}

TEST_CASE("programs with different constants are answered from one batch") {
  auto gpu = first_gpu();
  std::vector<chase::Program> batch;
  for (std::int64_t i = 0; i < 300; ++i) {
    batch.push_back(walk(chase::Path::constant));
    batch.back().rings.front().seed = i % 7;
    batch.back().trial = i;
  }
  for (const auto& outcome : gpu.run(batch)) REQUIRE_FALSE(outcome.failure);
}

TEST_CASE("programs walk more constants than one module has, on every SM") {
  auto gpu = first_gpu();
  chase::Program program;
  program.actors = {{chase::any_sm, chase::Path::constant}};
  for (std::int64_t array = 0; array < 4; ++array) {
    program.arrays.push_back({60'000, chase::no_alias, chase::Space::constant});
    program.rings.push_back({array, 0, 64, 900, chase::Order::shuffled, array, {}});
    program.phases.push_back({0, array, 0, 900, chase::Timing::untimed});
  }
  for (std::int64_t array = 0; array < 4; ++array) program.phases.push_back({0, array, 7, 900, chase::Timing::each});
  REQUIRE_FALSE(cuda::shortage(program, gpu.limits()));
  const std::vector<chase::Program> batch(static_cast<std::size_t>(gpu.limits().sms), program);
  for (const auto& outcome : gpu.run(batch)) {
    INFO(outcome.failure.value_or(""));
    REQUIRE_FALSE(outcome.failure);
    REQUIRE(outcome.result.traces.size() == 4);
  }
}

TEST_CASE("hundreds of textures of both kinds are walked at the same time") {
  auto gpu = first_gpu();
  std::vector<chase::Program> batch;
  for (std::int64_t i = 0; i < 300; ++i) {
    batch.push_back(walk(i % 2 == 0 ? chase::Path::texture : chase::Path::texture_2d));
    batch.back().rings.front().seed = i;
  }
  for (const auto& outcome : gpu.run(batch)) REQUIRE_FALSE(outcome.failure);
}

TEST_CASE("a cold cache misses every line, a warm one none") {
  auto gpu = first_gpu();
  auto program = walk(chase::Path::global_ca);
  program.phases = {{0, 0, 0, 64, chase::Timing::each}, {0, 0, 0, 64, chase::Timing::each}};
  const auto result = run(gpu, program);
  REQUIRE(std::ranges::min(result.traces[0].latency) > 2 * std::ranges::max(result.traces[1].latency));
}

TEST_CASE("hundreds of programs are all answered, each on one SM and with its own loads") {
  auto gpu = first_gpu();
  std::vector<chase::Program> batch(500, walk(chase::Path::global_nc));
  for (std::size_t i = 0; i < batch.size(); ++i) {
    batch[i].alone = i % 3 == 0;
    batch[i].phases.back().loads = static_cast<std::int64_t>(1 + i % 64);
  }
  const auto outcomes = gpu.run(batch);
  REQUIRE(outcomes.size() == 500);
  for (std::size_t i = 0; i < batch.size(); ++i) {
    REQUIRE_FALSE(outcomes[i].failure);
    REQUIRE(outcomes[i].result.sms.size() == 1);
    REQUIRE(std::ssize(outcomes[i].result.traces.front().latency) == batch[i].phases.back().loads);
  }
}

TEST_CASE("every SM can be named by its number") {
  auto gpu = first_gpu();
  std::vector<chase::Program> batch;
  for (std::int64_t sm = 0; sm < gpu.limits().sms; ++sm) {
    batch.push_back(walk(chase::Path::global_cg));
    batch.back().actors.front().sm = sm;
  }
  const auto outcomes = gpu.run(batch);
  for (std::size_t sm = 0; sm < outcomes.size(); ++sm) {
    REQUIRE_FALSE(outcomes[sm].failure);
    REQUIRE(outcomes[sm].result.sms.front() == static_cast<std::int64_t>(sm));
  }
}

TEST_CASE("actors on two SMs take turns, and neither warms the other's L1 cache") {
  auto gpu = first_gpu();
  auto program = walk(chase::Path::global_ca);
  program.actors = {{0}, {1}};
  program.phases = {{0, 0, 0, 64, chase::Timing::untimed},
                    {1, 0, 0, 64, chase::Timing::each},
                    {0, 0, 0, 64, chase::Timing::each},
                    {1, 0, 0, 64, chase::Timing::each}};
  const auto result = run(gpu, program);
  const auto cold = median(result.traces[0].latency);
  REQUIRE(2 * std::ranges::max(result.traces[1].latency) < cold);
  REQUIRE(2 * std::ranges::max(result.traces[2].latency) < cold);
}

TEST_CASE("many threads walk a ring together") {
  auto gpu = first_gpu();
  chase::Program program;
  program.arrays = {{1 << 20}};
  program.rings = {{0, 0, 32, 32768, chase::Order::shuffled, 3, {}}};
  program.actors = {{chase::any_sm, chase::Path::global_cg, 1024}, {chase::any_sm, chase::Path::global_cg, 1}};
  program.phases = {{0, 0, 0, 32768, chase::Timing::total}, {1, 0, 0, 4096, chase::Timing::total}};
  const auto result = run(gpu, program);
  REQUIRE(result.totals[0] / 32768 < result.totals[1] / 4096 / 10);
}

TEST_CASE("an alias shows the memory of its original at other addresses") {
  auto gpu = first_gpu();
  if (gpu.alias_obstacle()) skip_here(*gpu.alias_obstacle());
  auto program = walk(chase::Path::global_ca);
  program.arrays.push_back({8192, 0});
  program.rings.push_back({1, 8, 128, 64, chase::Order::sequential, 0, {}});
  program.phases.push_back({0, 1, 0, 64, chase::Timing::each});
  REQUIRE(run(gpu, program).traces.size() == 2);
}

TEST_CASE("shared memory that the program takes follows from the length of its traces alone") {
  auto gpu = first_gpu();
  auto longer = walk(chase::Path::global_ca);
  longer.phases.back().loads = 4096;
  const std::vector batch{walk(chase::Path::global_ca), longer};
  const auto together = gpu.run(batch);
  REQUIRE(together[0].result.kernel_shared == run(gpu, batch[0]).kernel_shared);
  REQUIRE(together[1].result.kernel_shared == run(gpu, batch[1]).kernel_shared);
  REQUIRE(together[1].result.kernel_shared >= 4096 * 8);
}

TEST_CASE("arrays larger than the device are refused with both sizes, and the rest of the batch is answered") {
  auto gpu = first_gpu();
  auto huge = walk(chase::Path::global_ca);
  huge.arrays.front().bytes = std::int64_t{1} << 40;
  const std::vector batch{huge, walk(chase::Path::global_ca)};
  const auto outcomes = gpu.run(batch);
  REQUIRE_THAT(outcomes[0].failure.value(), ContainsSubstring("1099511627776 B"));
  REQUIRE_FALSE(outcomes[1].failure);
}

TEST_CASE("an arena keeps its memory and says whose content it holds") {
  static_cast<void>(first_gpu());
  constexpr std::size_t usual = std::size_t{8} << 20;
  cuda::Arena arena(0, usual);
  const int one = 0;
  const int other = 0;
  CHECK_FALSE(arena.reserve(1, &one));
  const std::byte* const begin = arena.data();
  CHECK(reinterpret_cast<std::uintptr_t>(begin) % chase::array_alignment == 0);
  CHECK(arena.reserve(usual, &one));
  CHECK_FALSE(arena.reserve(1, &other));
  CHECK_FALSE(arena.reserve(1, &one));
  CHECK(arena.data() == begin);
  CHECK_FALSE(arena.release_surplus());
  constexpr int mark = 7;
  cuda::check(cudaMemcpy(arena.data(), &mark, sizeof(mark), cudaMemcpyHostToDevice), "writing");
  if (arena.reserve(2 * usual, &one)) {
    int kept = 0;
    cuda::check(cudaMemcpy(&kept, arena.data(), sizeof(kept), cudaMemcpyDeviceToHost), "reading");
    CHECK(kept == mark);
  }
  CHECK(arena.release_surplus());
  CHECK_FALSE(arena.reserve(1, &one));
}

TEST_CASE("memory that an arena could not provide belongs to nobody") {
  static_cast<void>(first_gpu());
  cuda::Arena arena(0, std::size_t{8} << 20);
  const int one = 0;
  const int other = 0;
  CHECK_FALSE(arena.reserve(1, &one));
  CHECK_FALSE(arena.reserve(1, &other));
  CHECK_THROWS_AS(arena.reserve(std::size_t{1} << 42, &one), cuda::OutOfMemory);
  CHECK_FALSE(arena.reserve(1, &one));
}

TEST_CASE("a GPU is named by its number or its UUID, by the device and by executors") {
  static_cast<void>(first_gpu());
  cudaDeviceProp properties{};
  cuda::check(cudaGetDeviceProperties(&properties, 0), "reading the properties of the device");
  CHECK(cuda::select("0") == 0);
  CHECK(cuda::select(cuda::uuid_of(properties)) == 0);
  CHECK_THROWS_WITH(cuda::select("GPU-0"), ContainsSubstring("expected a UUID or a number from 0 to"));
}
