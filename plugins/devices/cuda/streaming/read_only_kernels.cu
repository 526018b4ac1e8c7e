#include "cuda/streaming/stream.cuh"

namespace tomograph::cuda {

namespace {

template <int load>
StreamKernel of_element(std::int64_t element, std::int64_t ilp) {
  switch (element) {
    case 4: return of_ilp<TOMOGRAPH_STREAM_READ, load, 4>(ilp);
    case 8: return of_ilp<TOMOGRAPH_STREAM_READ, load, 8>(ilp);
    case 16: return of_ilp<TOMOGRAPH_STREAM_READ, load, 16>(ilp);
    default: return nullptr;
  }
}

}  // namespace

StreamKernel read_only_kernel(std::int64_t load, std::int64_t element, std::int64_t ilp) {
  switch (load) {
    case TOMOGRAPH_STREAM_NC: return of_element<TOMOGRAPH_STREAM_NC>(element, ilp);
    case TOMOGRAPH_STREAM_TEXTURE: return of_element<TOMOGRAPH_STREAM_TEXTURE>(element, ilp);
    case TOMOGRAPH_STREAM_CONSTANT: return of_element<TOMOGRAPH_STREAM_CONSTANT>(element, ilp);
    default: return nullptr;
  }
}

}  // namespace tomograph::cuda
