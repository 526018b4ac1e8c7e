#include "cuda/kernel/modules.hpp"

#include <array>
#include <stdexcept>

#include "tomograph/cuda/driver.hpp"
#include "tomograph/session.hpp"

namespace tomograph::cuda {

template <typename Function>
void Modules::find(Function& function, const char* name) {
  function = driver_function<Function>(name);
  if (function != nullptr) return;
  throw Refused(TOMOGRAPH_UNSUPPORTED, std::string("the driver has no function ") + name);
}

Modules::Modules() {
  find(load_, "cuModuleLoadDataEx");
  find(unload_, "cuModuleUnload");
  find(get_function_, "cuModuleGetFunction");
  find(set_attribute_, "cuFuncSetAttribute");
  find(occupancy_, "cuOccupancyMaxActiveBlocksPerMultiprocessor");
  find(launch_, "cuLaunchKernel");
}

Modules::~Modules() {
  for (const auto& [text, module] : modules_) static_cast<void>(unload_(module));
}

CUfunction Modules::function(const std::string& ptx, const char* name) {
  auto found = modules_.find(ptx);
  if (found == modules_.end()) {
    std::array<char, 4096> log{};
    std::array<CUjit_option, 2> options{CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the driver takes a number in place of a pointer
    std::array<void*, 2> values{log.data(), reinterpret_cast<void*>(log.size())};
    CUmodule module = nullptr;
    const CUresult result = load_(&module, ptx.c_str(), options.size(), options.data(), values.data());
    const std::string what = "compiling a generated kernel" + std::string(log[0] == '\0' ? "" : ": ") + log.data();
    check_driver(result, what.c_str());
    found = modules_.emplace(ptx, module).first;
  }
  CUfunction function = nullptr;
  check_driver(get_function_(&function, found->second, name), "finding a generated kernel");
  return function;
}

int Modules::prepare(CUfunction function, const KernelShape& shape) const {
  check_driver(set_attribute_(function, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, shape.carveout_percent),
               "setting the carve-out of a generated kernel");
  int resident = 0;
  check_driver(occupancy_(&resident, function, static_cast<int>(shape.threads), shape.shared),
               "reading the occupancy of a generated kernel");
  return resident;
}

void Modules::launch(CUfunction function, const KernelShape& shape, std::span<void*> parameters,
                     cudaStream_t stream) const {
  check_driver(
      launch_(function, shape.grid, 1, 1, shape.threads, 1, 1, shape.shared, stream, parameters.data(), nullptr),
      "launching a generated kernel");
}

}  // namespace tomograph::cuda
