#include "executors.hpp"

#include "kernels.hpp"

namespace tomograph::stores {

namespace {

/// Memory of so many bytes that holds zeros.
std::byte* zeros(cuda::DeviceBuffer& buffer, std::size_t bytes, cudaStream_t stream) {
  if (bytes > buffer.size()) {
    buffer.reserve(bytes);
    cuda::check(cudaMemsetAsync(buffer.data(), 0, buffer.size(), stream), "clearing memory");
  }
  return buffer.data();
}

}  // namespace

Arrays answer_accesses(StoringGpu& gpu, const Experiment& experiment) {
  const AccessesRequest request = decode_accesses(experiment);
  const auto lines = static_cast<std::uint32_t>(request.lines);
  // One line more warms the kernel up. Each launch begins with an L1 that holds nothing.
  const auto bytes = static_cast<std::size_t>((request.lines + 1) * request.stride);
  gpu.lines().reserve(bytes);
  cuda::check(cudaMemsetAsync(gpu.lines().data(), 0, bytes, gpu.stream()), "clearing memory");
  auto* cycles = gpu.zeros<std::int64_t>(lines);
  const Before before = request.before;
  cuda::check(access({.words = reinterpret_cast<std::uint32_t*>(gpu.lines().data()),
                      .lines = lines,
                      .stride = static_cast<std::uint32_t>(request.stride / 4),
                      .loads_first = before != Before::nothing && before != Before::store,
                      .stores = before != Before::nothing && before != Before::load,
                      .stored_at = before == Before::load_then_neighbour ? 1U : 0U,
                      .stream = gpu.stream()},
                     cycles),
              "starting accesses");
  return encode(AccessesAnswer{gpu.fetch(cycles, lines)});
}

Arrays answer_writes(StoringGpu& gpu, const Experiment& experiment) {
  const WritesRequest request = decode_writes(experiment);
  const auto ctas = static_cast<std::uint32_t>(request.alone ? 1 : gpu.sms());
  const auto laps = static_cast<std::uint32_t>(request.laps);
  gpu.lines().reserve(std::size_t{ctas} * cta_bytes);
  auto* times = gpu.zeros<CtaTime>(ctas);
  const std::uint32_t shared = gpu.more_than_half_of_shared_memory();
  cuda::check(write(request.order, gpu.lines().data(), ctas, shared, laps, times, gpu.stream()), "starting stores");
  const std::int64_t stores = request.laps * stores_of_lap(request.order) * warps_of_cta * ctas;
  return encode(WritesAnswer{stores * writes_of_store, cuda::elapsed_nanoseconds(gpu.fetch(times, ctas))});
}

Arrays answer_refills(StoringGpu& gpu, const Experiment& experiment) {
  const RefillsRequest request = decode_refills(experiment);
  const auto bytes = static_cast<std::size_t>(request.bytes);
  std::byte* const first = zeros(gpu.first(), bytes, gpu.stream());
  std::byte* const second = zeros(gpu.second(), bytes, gpu.stream());
  std::uint32_t per_sm = 0;
  cuda::check(resident_sweeps(&per_sm), "reading the occupancy of a kernel");
  const std::uint32_t ctas = static_cast<std::uint32_t>(gpu.sms()) * per_sm;
  auto* times = gpu.zeros<CtaTime>(ctas);
  cuda::check(sweep(request.stores, first, bytes, ctas, times, gpu.stream()), "filling L2");
  cuda::check(sweep(false, second, bytes, ctas, times, gpu.stream()), "filling L2 again");
  return encode(RefillsAnswer{cuda::elapsed_nanoseconds(gpu.fetch(times, ctas))});
}

}  // namespace tomograph::stores
