#include "cuda/streaming/stream.cuh"

namespace tomograph::cuda {

namespace {

__global__ void fill(std::uint32_t* words, std::uint64_t count) {
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    words[i] = hash(static_cast<std::uint32_t>(i));
  }
}

template <int operation, int load>
StreamKernel of_element(std::int64_t element, std::int64_t ilp) {
  switch (element) {
    case 1: return of_ilp<operation, load, 1>(ilp);
    case 2: return of_ilp<operation, load, 2>(ilp);
    case 4: return of_ilp<operation, load, 4>(ilp);
    case 8: return of_ilp<operation, load, 8>(ilp);
    case 16: return of_ilp<operation, load, 16>(ilp);
    default: return nullptr;
  }
}

}  // namespace

cudaError_t launch_fill(std::uint32_t* words, std::uint64_t count, cudaStream_t stream) {
  fill<<<1024, 256, 0, stream>>>(words, count);
  return cudaGetLastError();
}

StreamKernel stream_kernel(std::int64_t operation, std::int64_t load, std::int64_t element, std::int64_t ilp) {
  if (load != TOMOGRAPH_STREAM_CA && load != TOMOGRAPH_STREAM_CG) return read_only_kernel(load, element, ilp);
  const bool ca = load == TOMOGRAPH_STREAM_CA;
  switch (operation) {
    case TOMOGRAPH_STREAM_READ:
      return ca ? of_element<TOMOGRAPH_STREAM_READ, TOMOGRAPH_STREAM_CA>(element, ilp)
                : of_element<TOMOGRAPH_STREAM_READ, TOMOGRAPH_STREAM_CG>(element, ilp);
    case TOMOGRAPH_STREAM_WRITE: return of_element<TOMOGRAPH_STREAM_WRITE, TOMOGRAPH_STREAM_CG>(element, ilp);
    case TOMOGRAPH_STREAM_COPY:
      return ca ? of_element<TOMOGRAPH_STREAM_COPY, TOMOGRAPH_STREAM_CA>(element, ilp)
                : of_element<TOMOGRAPH_STREAM_COPY, TOMOGRAPH_STREAM_CG>(element, ilp);
    default: return nullptr;
  }
}

}  // namespace tomograph::cuda
