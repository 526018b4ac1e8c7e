#ifndef TOMOGRAPH_CUDA_ERROR_HPP
#define TOMOGRAPH_CUDA_ERROR_HPP

#include <cuda_runtime_api.h>

#include <stdexcept>
#include <string>

#include "tomograph/session/session.hpp"

/// For plugins with CUDA code of their own.
namespace tomograph::cuda {

/// Memory did not suffice; the device is well and a smaller request may succeed.
class OutOfMemory : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Whether `error` leaves the context unusable for good, so that only a new process can go on.
[[nodiscard]] inline bool is_sticky(cudaError_t error) {
  switch (error) {
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorLaunchFailure:
    case cudaErrorECCUncorrectable:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorAssert:
    case cudaErrorNvlinkUncorrectable:
    case cudaErrorDeviceUninitialized:
    case cudaErrorContextIsDestroyed:
    case cudaErrorCudartUnloading:
    case cudaErrorUnknown: return true;
    default: return false;
  }
}

/// Passes if `error` is success. @throws DeviceLost, OutOfMemory, std::runtime_error; `what` says what was tried.
inline void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  static_cast<void>(cudaGetLastError());  // a forgivable error must not show up again in a later call
  const std::string reason =
      std::string(what) + ": " + cudaGetErrorString(error) + " (" + cudaGetErrorName(error) + ")";
  if (is_sticky(error)) throw DeviceLost(reason);
  if (error == cudaErrorMemoryAllocation) throw OutOfMemory(reason);
  throw std::runtime_error(reason);
}

}  // namespace tomograph::cuda

#endif
