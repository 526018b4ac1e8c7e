#include "executors.hpp"

#include "kernels.hpp"

namespace tomograph::stores {

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

}  // namespace tomograph::stores
