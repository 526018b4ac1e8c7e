#include <cstdint>
#include <map>

#include "catch.hpp"
#include "cuda/kernel/instrument.hpp"
#include "tomograph/kernel/address_walk.hpp"

using namespace tomograph;
using kernel::Access;
using kernel::Operation;
using kernel::Step;

namespace {

constexpr std::int64_t mebibyte = std::int64_t{1} << 20;

/// The instrument of the first GPU; without one, the test case ends as skipped.
cuda::Kernels first_gpu() {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) skip_here("no CUDA device");
  cuda::check(cudaSetDevice(0), "selecting the device");
  static cuda::Arena arena(0, 0);
  static cuda::NeighbourMonitor monitor(0);
  return cuda::Kernels(0, arena, monitor);
}

kernel::Result run(cuda::Kernels& gpu, const kernel::Kernel& kernel) {
  const Answer answer = gpu.execute(std::vector{kernel::encode(kernel)}).front();
  INFO(answer.reason);
  REQUIRE(answer.status == TOMOGRAPH_OK);
  return kernel::decode_result(kernel, answer);
}

Step load(kernel::Pattern pattern, std::int64_t span, std::int64_t base = 0) {
  return {.operation = Operation::load, .access = Access{.pattern = pattern, .base = base, .span = span}};
}

/// A kernel whose last instruction adds 1 to each word that `pattern` accesses, and `index` before it.
kernel::Kernel counting(const kernel::Pattern& pattern, std::int64_t lanes, const std::vector<Step>& before = {}) {
  kernel::Kernel kernel{.warps = 3, .ctas = 37, .ctas_per_sm = 2, .iterations = 5, .footprint = 2 * mebibyte};
  kernel.sms = {0, 1, 2, 5};
  kernel.loop = before;
  kernel.loop.push_back({.operation = Operation::atomic,
                         .lanes = lanes,
                         .access = Access{.pattern = pattern, .base = mebibyte, .span = mebibyte - 32}});
  return kernel;
}

/// How often a kernel accesses each word with its last instruction, by word.
std::map<std::uint64_t, std::uint32_t> expected_counts(const kernel::Kernel& kernel) {
  const auto places = static_cast<std::int64_t>(kernel.sms.size()) * kernel.ctas_per_sm;
  std::map<std::uint64_t, std::uint32_t> counts;
  for (std::int64_t cta = 0; cta < kernel.ctas; ++cta) {
    for (std::int64_t warp = 0; warp < kernel.warps; ++warp) {
      kernel::AddressWalk walk(kernel, kernel.loop.back(), {.cta = cta, .warp = warp});
      kernel::AddressWalk first(kernel, kernel.loop.front(), {.cta = cta, .warp = warp});
      for (std::int64_t i = 0; i < kernel.iterations; ++i) {
        const kernel::LaneAddresses index = first.next(nullptr);
        const bool is_repeated = cta < places && i == 0;  // the iteration that fetches the code
        for (const auto& address : kernel.loop.size() == 1 ? index : walk.next(&index)) {
          if (address) counts[*address / 4] += is_repeated ? 2 : 1;
        }
      }
    }
  }
  return counts;
}

void check_addresses(const kernel::Kernel& kernel) {
  auto gpu = first_gpu();
  static_cast<void>(run(gpu, kernel));
  const auto expected = expected_counts(kernel);
  std::size_t wrong = 0;
  const auto memory = gpu.memory();
  for (std::size_t word = 0; word < static_cast<std::size_t>(kernel.footprint / 4); ++word) {
    const auto found = expected.find(word);
    const std::uint32_t count = found == expected.end() ? 0 : found->second;
    if (memory[word] - kernel::mix(static_cast<std::uint32_t>(word)) != count) ++wrong;
  }
  INFO(expected.size() << " words expected");
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("the GPU accesses the addresses of a stride that the trace has") {
  check_addresses(
      counting(kernel::Stride{.lane_stride = 33, .warp_stride = 1001, .iteration_stride = 77777, .offset = 12345}, 32));
}

TEST_CASE("the GPU accesses the addresses of a hash that the trace has") {
  check_addresses(counting(kernel::Hash{.group = 8, .block = 64, .seed = 4000000000}, 29));
}

TEST_CASE("the GPU accesses the addresses of a gather that the trace has") {
  check_addresses(counting(kernel::Gather{0}, 17, {load(kernel::Stride{.iteration_stride = 5000}, mebibyte)}));
}

TEST_CASE("the GPU accesses the addresses of a gather by sparse rows that the trace has") {
  check_addresses(counting(kernel::Gather{0}, 32, {load(kernel::Csr{3}, mebibyte)}));
}

TEST_CASE("the GPU accesses the addresses of a stencil that the trace has") {
  check_addresses(counting(kernel::Stencil{.width = 96, .dx = -5, .dy = -16}, 32));
}

TEST_CASE("the GPU accesses the addresses of sparse rows that the trace has") {
  check_addresses(counting(kernel::Csr{7}, 31));
}

TEST_CASE("the GPU accesses the addresses of columns that the trace has") {
  auto kernel = counting(kernel::Column{3}, 32);
  kernel.loop.back().access->span = mebibyte / 96 * 96;
  check_addresses(kernel);
}

TEST_CASE("a load that needs another waits for its latency, independent loads overlap") {
  auto gpu = first_gpu();
  kernel::Kernel kernel{.iterations = 200, .footprint = 4 * mebibyte, .timed = 0, .sms = {0}};
  // Alone: behind the load of another step, it would wait for more than its own latency.
  kernel.loop = {load(kernel::Hash{.seed = 1}, 4 * mebibyte)};
  kernel.loop.front().access->cache = kernel::Cache::cg;
  const auto latency = run(gpu, kernel).latency;
  kernel.timed = -1;
  kernel.loop.push_back(load(kernel::Hash{.seed = 2}, 4 * mebibyte));
  kernel.loop.back().access->cache = kernel::Cache::cg;
  const auto independent = run(gpu, kernel).cycles.front() / 200;
  kernel.loop.back().needs = {0};
  const auto dependent = run(gpu, kernel).cycles.front() / 200;
  CHECK(latency > 100);
  CHECK(independent < 1.5 * latency);  // once, and what else an iteration takes
  CHECK(dependent > 1.5 * latency);    // twice
}

TEST_CASE("arithmetic chains take as long as their instructions") {
  auto gpu = first_gpu();
  kernel::Kernel kernel{.iterations = 1000, .footprint = 4096, .warm_passes = 0, .sms = {0}};
  kernel.loop = {{.operation = Operation::fp32, .count = 200}};
  const auto longer = run(gpu, kernel).cycles.front();
  kernel.loop.front().count = 100;
  const auto shorter = run(gpu, kernel).cycles.front();
  const double cycles = (longer - shorter) / (100 * 1000);
  CHECK(cycles > 3);
  CHECK(cycles < 8);
}

TEST_CASE("a kernel that does not fit on an SM is refused as unsupported") {
  auto gpu = first_gpu();
  kernel::Kernel kernel{.warps = 32, .ctas = 64, .ctas_per_sm = 64, .footprint = 4096};
  kernel.loop = {load(kernel::Stride{}, 4096)};
  const Answer answer = gpu.execute(std::vector{kernel::encode(kernel)}).front();
  CHECK(answer.status == TOMOGRAPH_UNSUPPORTED);
}

TEST_CASE("the carve-out of a kernel does not last: many CTAs of the same code fit afterwards") {
  auto gpu = first_gpu();
  kernel::Kernel kernel{
      .warps = 2, .ctas = 16, .ctas_per_sm = 1, .iterations = 4, .footprint = mebibyte, .carveout = 0};
  kernel.loop = {load(kernel::Stride{}, mebibyte)};
  run(gpu, kernel);
  kernel.carveout = -1;
  kernel.ctas_per_sm = 16;
  run(gpu, kernel);
}
