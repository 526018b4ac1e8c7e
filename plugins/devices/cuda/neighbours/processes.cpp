#include "cuda/neighbours/processes.hpp"

#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <array>
#include <vector>

namespace tomograph::cuda {

namespace {

/// The part of NVML that is used, as nvml.h of CUDA 11 and later declares it. It comes with the driver and is loaded at
/// run time, since a machine without a GPU lacks it.
class Nvml {
 public:
  using Device = struct Opaque*;
  struct Process {
    unsigned int pid;
    unsigned long long memory;
    unsigned int gpu_instance;
    unsigned int compute_instance;
  };
  static constexpr int success = 0;

  Nvml() : library_(::dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL)) {
    if (library_ == nullptr) return;
    find("nvmlInit_v2", initialise_);
    find("nvmlShutdown", shut_down_);
    find("nvmlDeviceGetHandleByPciBusId_v2", find_device_);
    find("nvmlDeviceGetComputeRunningProcesses_v3", processes_);
    is_ready_ = initialise_ != nullptr && shut_down_ != nullptr && find_device_ != nullptr && processes_ != nullptr &&
                initialise_() == success;
  }
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;
  ~Nvml() {
    if (is_ready_) shut_down_();
    if (library_ != nullptr) ::dlclose(library_);
  }

  [[nodiscard]] std::optional<std::int64_t> processes(const char* bus) const {
    Device device = nullptr;
    if (!is_ready_ || find_device_(bus, &device) != success) return std::nullopt;
    constexpr unsigned int most = 256;
    std::vector<Process> found(most);
    unsigned int count = most;
    if (processes_(device, &count, found.data()) != success) return std::nullopt;
    return count;
  }

 private:
  template <typename Function>
  void find(const char* name, Function& function) {
    function = reinterpret_cast<Function>(::dlsym(library_, name));
  }

  void* library_;
  bool is_ready_ = false;
  int (*initialise_)() = nullptr;
  int (*shut_down_)() = nullptr;
  int (*find_device_)(const char*, Device*) = nullptr;
  int (*processes_)(Device, unsigned int*, Process*) = nullptr;
};

}  // namespace

std::optional<std::int64_t> processes_on(int device) {
  std::array<char, 32> bus{};
  if (cudaDeviceGetPCIBusId(bus.data(), static_cast<int>(bus.size()), device) != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    return std::nullopt;
  }
  return Nvml().processes(bus.data());
}

}  // namespace tomograph::cuda
