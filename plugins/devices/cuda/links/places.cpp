#include "cuda/links/places.hpp"

#include <string>

#include "tomograph/cuda/device.hpp"

namespace tomograph::cuda {

CurrentGpu::CurrentGpu(int gpu) {
  check(cudaGetDevice(&before_), "asking for the current device");
  check(cudaSetDevice(gpu), "selecting a device");
}

void Places::expect(transfer::Place place) {
  if (!transfer::is_gpu(place) || place < device_count()) return;
  throw Refused(TOMOGRAPH_UNSUPPORTED, "there is no GPU " + std::to_string(place));
}

void Places::connect(transfer::Place place) const {
  expect(place);
  const auto gpu = static_cast<int>(place);
  if (gpu == device_) return;
  if (!transfer::is_gpu(place)) {
    if (attribute(cudaDevAttrIntegrated, device_) == 0) return;
    throw Refused(TOMOGRAPH_UNSUPPORTED, "this GPU has the memory of its host, and no link to it");
  }
  int reaches = 0;
  check(cudaDeviceCanAccessPeer(&reaches, device_, gpu), "asking for peer access");
  if (reaches == 0) throw Refused(TOMOGRAPH_UNSUPPORTED, "no peer access to GPU " + std::to_string(place));
  const cudaError_t error = cudaDeviceEnablePeerAccess(gpu, 0);
  if (error == cudaErrorPeerAccessAlreadyEnabled) {
    static_cast<void>(cudaGetLastError());
  } else {
    check(error, "enabling peer access");
  }
}

std::byte* Places::memory(transfer::Place place, std::size_t bytes) {
  if (place == transfer::pinned) {
    pinned_.reserve(bytes);
    return pinned_.data();
  }
  if (place == transfer::pageable) {
    // Written, so that every page exists.
    if (pageable_.size() < bytes) pageable_.assign(bytes, std::byte{1});
    return pageable_.data();
  }
  const CurrentGpu there(static_cast<int>(place));
  DeviceBuffer& buffer = on_gpus_[place];
  if (buffer.size() < bytes) {
    buffer.reserve(bytes);
    check(cudaMemset(buffer.data(), 1, bytes), "filling memory");
  }
  return buffer.data();
}

void Places::release() {
  on_gpus_.clear();
  pinned_.release_all();
  pageable_ = {};
}

}  // namespace tomograph::cuda
