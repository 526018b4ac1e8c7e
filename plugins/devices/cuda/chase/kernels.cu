#include "cuda/chase/chase_kernel.cuh"
#include "cuda/chase/kernels.hpp"

namespace tomograph::cuda {

namespace {

__global__ void write_rings(const RingTask* rings) {
  const RingTask ring = rings[blockIdx.x];
  const std::uint64_t first = std::uint64_t{blockIdx.y} * blockDim.x + threadIdx.x;
  for_each_node(ring, first, std::uint64_t{gridDim.y} * blockDim.x, [&](std::int64_t node, std::int64_t next) {
    if (ring.format == NodeFormat::texel) {
      const uint2 texel =
          make_uint2(static_cast<std::uint32_t>(next % ring.width / 8), static_cast<std::uint32_t>(next / ring.width));
      surf2Dwrite(texel, ring.base, static_cast<int>(node % ring.width), static_cast<int>(node / ring.width));
      return;
    }
    *reinterpret_cast<std::uint64_t*>(ring.base + static_cast<std::uint64_t>(node)) =
        ring.format == NodeFormat::index ? static_cast<std::uint64_t>(next) / 8
                                         : ring.base + static_cast<std::uint64_t>(next);
  });
}

auto kernel_of(Kernel kernel) { return kernel == Kernel::code ? chase<Paths::code> : chase<Paths::all>; }

__global__ void spin(std::int64_t cycles) {
  const std::int64_t begin = clock64();
  while (clock64() - begin < cycles) {
  }
}

}  // namespace

cudaError_t launch_ring_writer(const RingTask* rings, std::uint32_t count, std::uint32_t blocks, cudaStream_t stream) {
  write_rings<<<dim3(count, blocks), 256, 0, stream>>>(rings);
  return cudaGetLastError();
}

cudaError_t launch_chase(Kernel kernel, const Wave& wave, const Shape& shape, cudaStream_t stream) {
  kernel_of(kernel)<<<shape.ctas, shape.threads, shape.dynamic_shared, stream>>>(wave);
  return cudaGetLastError();
}

cudaError_t launch_spin(std::uint32_t ctas, std::int64_t cycles, cudaStream_t stream) {
  spin<<<ctas, 32, 0, stream>>>(cycles);
  return cudaGetLastError();
}

cudaError_t constant_memory(Address& start) {
  void* symbol = nullptr;
  const cudaError_t error = cudaGetSymbolAddress(&symbol, constants);
  start = reinterpret_cast<Address>(symbol);
  return error;
}

cudaError_t chase_attributes(cudaFuncAttributes& attributes) {
  return cudaFuncGetAttributes(&attributes, chase<Paths::all>);
}

cudaError_t allow_dynamic_shared(std::uint32_t bytes) {
  for (const auto kernel : {chase<Paths::all>, chase<Paths::code>}) {
    const cudaError_t error =
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes));
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

cudaError_t prefer_carveout(Kernel kernel, int percent) {
  // With another preference for this kernel, every SM would change its carve-out twice between two waves.
  const cudaError_t error = cudaFuncSetAttribute(write_rings, cudaFuncAttributePreferredSharedMemoryCarveout, percent);
  if (error != cudaSuccess) return error;
  return cudaFuncSetAttribute(kernel_of(kernel), cudaFuncAttributePreferredSharedMemoryCarveout, percent);
}

cudaError_t resident_ctas(Kernel kernel, std::uint32_t threads, std::uint32_t dynamic_shared, int& ctas) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(&ctas, kernel_of(kernel), static_cast<int>(threads),
                                                       dynamic_shared);
}

}  // namespace tomograph::cuda
