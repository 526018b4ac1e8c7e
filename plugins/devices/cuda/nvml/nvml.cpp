#include "cuda/nvml/nvml.hpp"

#include <dlfcn.h>

#include <array>

namespace tomograph::cuda {

namespace {

constexpr int success = 0;             // NVML_SUCCESS
constexpr int temperature_of_gpu = 0;  // NVML_TEMPERATURE_GPU

/// nvmlProcessInfo_t of the functions that end in _v3.
struct Process {
  unsigned int pid;
  unsigned long long memory;
  unsigned int gpu_instance;
  unsigned int compute_instance;
};

}  // namespace

template <typename... Arguments>
auto Nvml::function(const char* name) const -> int (*)(Arguments...) {
  return library_ == nullptr ? nullptr : reinterpret_cast<int (*)(Arguments...)>(::dlsym(library_, name));
}

template <typename Value, typename... Arguments>
std::optional<Value> Nvml::ask(const char* name, Arguments... arguments) const {
  const auto asked = device_ == nullptr ? nullptr : function<Device, Arguments..., Value*>(name);
  Value value{};
  if (asked == nullptr || asked(device_, arguments..., &value) != success) return std::nullopt;
  return value;
}

Nvml::Nvml(const std::string& bus_id) : library_(::dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL)) {
  const auto initialise = function<>("nvmlInit_v2");
  const auto find_device = function<const char*, Device*>("nvmlDeviceGetHandleByPciBusId_v2");
  is_initialised_ = initialise != nullptr && initialise() == success;
  if (!is_initialised_ || find_device == nullptr) return;
  if (find_device(bus_id.c_str(), &device_) != success) device_ = nullptr;
}

Nvml::~Nvml() {
  if (const auto shut_down = function<>("nvmlShutdown"); is_initialised_ && shut_down != nullptr) shut_down();
  if (library_ != nullptr) ::dlclose(library_);
}

std::optional<std::int64_t> Nvml::processes() const {
  const auto list = function<Device, unsigned int*, Process*>("nvmlDeviceGetComputeRunningProcesses_v3");
  if (device_ == nullptr || list == nullptr) return std::nullopt;
  std::vector<Process> found(256);
  auto count = static_cast<unsigned int>(found.size());
  if (list(device_, &count, found.data()) != success) return std::nullopt;
  return count;
}

std::optional<std::int64_t> Nvml::megahertz(Clock clock) const {
  return ask<unsigned int>("nvmlDeviceGetClockInfo", static_cast<int>(clock));
}

std::vector<std::int64_t> Nvml::supported_sm_megahertz(std::int64_t memory_megahertz) const {
  const auto list =
      function<Device, unsigned int, unsigned int*, unsigned int*>("nvmlDeviceGetSupportedGraphicsClocks");
  if (device_ == nullptr || list == nullptr) return {};
  std::vector<unsigned int> clocks(1024);
  auto count = static_cast<unsigned int>(clocks.size());
  if (list(device_, static_cast<unsigned int>(memory_megahertz), &count, clocks.data()) != success) return {};
  return {clocks.begin(), clocks.begin() + count};
}

std::optional<double> Nvml::watts() const {
  const auto milliwatts = ask<unsigned int>("nvmlDeviceGetPowerUsage");
  return milliwatts ? std::optional(*milliwatts / 1000.0) : std::nullopt;
}

std::optional<double> Nvml::degrees_celsius() const {
  return ask<unsigned int>("nvmlDeviceGetTemperature", temperature_of_gpu);
}

std::optional<std::uint64_t> Nvml::throttle_reasons() const {
  // Also the name of today's nvmlDeviceGetCurrentClocksEventReasons in older drivers, which newer ones keep.
  return ask<unsigned long long>("nvmlDeviceGetCurrentClocksThrottleReasons");
}

std::optional<std::int64_t> Nvml::cores() const { return ask<unsigned int>("nvmlDeviceGetNumGpuCores"); }

std::optional<std::string> Nvml::driver_version() const {
  const auto version = function<char*, unsigned int>("nvmlSystemGetDriverVersion");
  std::array<char, 80> text{};  // NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE
  if (!is_initialised_ || version == nullptr || version(text.data(), text.size()) != success) return std::nullopt;
  return text.data();
}

}  // namespace tomograph::cuda
