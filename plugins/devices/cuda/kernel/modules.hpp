#ifndef TOMOGRAPH_CUDA_KERNEL_MODULES_HPP
#define TOMOGRAPH_CUDA_KERNEL_MODULES_HPP

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstdint>
#include <map>
#include <span>
#include <string>

namespace tomograph::cuda {

/// Shape of a launch.
struct KernelShape {
  unsigned int grid = 1;
  unsigned int threads = 32;
  unsigned int shared = 0;    ///< dynamic shared memory of a CTA, in bytes
  int carveout_percent = -1;  ///< as cudaFuncSetAttribute takes it
};

/// Kernels that the driver compiles from PTX, in the current context. Each text is compiled once. One thread only.
class Modules {
 public:
  /// @throws Refused (UNSUPPORTED) if the driver offers no loading of modules.
  Modules();
  Modules(const Modules&) = delete;
  Modules& operator=(const Modules&) = delete;
  ~Modules();

  /// The entry `name` of a module. @throws std::runtime_error with the compiler's message if it does not compile.
  [[nodiscard]] CUfunction function(const std::string& ptx, const char* name);
  /// Gives a kernel the carve-out of a shape. Returns the CTAs that an SM then holds.
  [[nodiscard]] int prepare(CUfunction function, const KernelShape& shape) const;
  /// Starts a kernel that is prepared. `parameters` are pointers to its parameters, in order.
  void launch(CUfunction function, const KernelShape& shape, std::span<void*> parameters, cudaStream_t stream) const;

 private:
  template <typename Function>
  void find(Function& function, const char* name);

  decltype(&cuModuleLoadDataEx) load_ = nullptr;
  decltype(&cuModuleUnload) unload_ = nullptr;
  decltype(&cuModuleGetFunction) get_function_ = nullptr;
  decltype(&cuFuncSetAttribute) set_attribute_ = nullptr;
  decltype(&cuOccupancyMaxActiveBlocksPerMultiprocessor) occupancy_ = nullptr;
  decltype(&cuLaunchKernel) launch_ = nullptr;
  std::map<std::string, CUmodule> modules_;  ///< by text
};

}  // namespace tomograph::cuda

#endif
