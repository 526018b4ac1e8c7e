#include "cuda/nvml/nvml.hpp"

#include <dlfcn.h>

#include <array>
#include <bit>

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

std::optional<Nvml::Links> Nvml::nvlinks() const {
  constexpr unsigned int most_links = 18;                                                     // NVML_NVLINK_MAX_LINKS
  static constexpr std::array versions{"", "1.0", "2.0", "2.2", "3.0", "3.1", "4.0", "5.0"};  // NVML_NVLINK_VERSION_...
  std::optional<unsigned int> version;
  std::int64_t active = 0;
  for (unsigned int link = 0; link < most_links; ++link) {
    if (ask<unsigned int>("nvmlDeviceGetNvLinkState", link) != 1U) continue;  // NVML_FEATURE_ENABLED
    ++active;
    if (!version) version = ask<unsigned int>("nvmlDeviceGetNvLinkVersion", link);
  }
  if (active == 0) return std::nullopt;
  return Links{version && *version < versions.size() ? versions.at(*version) : "", active};
}

bool Nvml::has_chip_to_chip_link() const {
  struct Mode {  // nvmlC2cModeInfo_v1_t
    unsigned int is_enabled;
  };
  const auto mode = ask<Mode>("nvmlDeviceGetC2cModeInfoV");
  return mode && mode->is_enabled != 0;
}

std::optional<std::int64_t> Nvml::pcie_generation() const {
  return ask<unsigned int>("nvmlDeviceGetMaxPcieLinkGeneration");
}

std::optional<std::int64_t> Nvml::pcie_lanes() const { return ask<unsigned int>("nvmlDeviceGetMaxPcieLinkWidth"); }

std::optional<std::int64_t> Nvml::nearest_numa_node() const {
  const auto nodes = function<Device, unsigned int, unsigned long*, unsigned int>("nvmlDeviceGetMemoryAffinity");
  std::array<unsigned long, 16> set{};
  constexpr unsigned int nearest = 0;  // NVML_AFFINITY_SCOPE_NODE
  if (device_ == nullptr || nodes == nullptr || nodes(device_, set.size(), set.data(), nearest) != success) {
    return std::nullopt;
  }
  constexpr std::int64_t bits = 8 * sizeof(unsigned long);
  for (std::size_t word = 0; word < set.size(); ++word) {
    if (set[word] != 0) return static_cast<std::int64_t>(word) * bits + std::countr_zero(set[word]);
  }
  return std::nullopt;
}

std::optional<std::int64_t> Nvml::cores() const { return ask<unsigned int>("nvmlDeviceGetNumGpuCores"); }

std::optional<std::string> Nvml::driver_version() const {
  const auto version = function<char*, unsigned int>("nvmlSystemGetDriverVersion");
  std::array<char, 80> text{};  // NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE
  if (!is_initialised_ || version == nullptr || version(text.data(), text.size()) != success) return std::nullopt;
  return text.data();
}

}  // namespace tomograph::cuda
