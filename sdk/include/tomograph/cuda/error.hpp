#ifndef TOMOGRAPH_CUDA_ERROR_HPP
#define TOMOGRAPH_CUDA_ERROR_HPP

#include <cuda_runtime_api.h>

#include <stdexcept>
#include <string>

#include "tomograph/session.hpp"

/// For plugins with their own CUDA code.
namespace tomograph::cuda {

/// Too little memory. The device still works, and a smaller request may succeed: an executor that lets this pass
/// refuses its experiment, and does not fail.
class OutOfMemory : public Refused {
 public:
  explicit OutOfMemory(const std::string& reason) : Refused(TOMOGRAPH_UNSUPPORTED, reason) {}
};

/// Whether `error` leaves the context unusable, so that only a new process can continue. The driver's CUresult has the
/// same numbers.
[[nodiscard]] inline bool is_sticky(int error) {
  // cudaErrorContained, cudaErrorTensorMemoryLeak, cudaErrorMpsClientTerminated and cudaErrorExternalDevice, of which
  // not every version of CUDA 12 knows the names.
  constexpr int contained = 226;
  constexpr int tensor_memory_leak = 721;
  constexpr int mps_client_terminated = 810;
  constexpr int external_device = 911;
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
    case contained:
    case tensor_memory_leak:
    case mps_client_terminated:
    case external_device:
    case cudaErrorUnknown: return true;
    default: return false;
  }
}

/// Returns if `error` is success. `what` names the operation. @throws DeviceLost, OutOfMemory, std::runtime_error.
inline void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  static_cast<void>(cudaGetLastError());  // a recoverable error must not be reported again by a later call
  const std::string reason =
      std::string(what) + ": " + cudaGetErrorString(error) + " (" + cudaGetErrorName(error) + ")";
  if (is_sticky(error)) throw DeviceLost(reason);
  if (error == cudaErrorMemoryAllocation) throw OutOfMemory(reason);
  throw std::runtime_error(reason);
}

}  // namespace tomograph::cuda

#endif
