#ifndef TOMOGRAPH_CUDA_NVML_NVML_HPP
#define TOMOGRAPH_CUDA_NVML_NVML_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tomograph::cuda {

/// One GPU as NVML, NVIDIA's management library, sees it. The library comes with the driver and is loaded at run time.
/// Every function answers nothing where the library, the function or the right to ask is missing. All functions may be
/// called on any thread.
class Nvml {
 public:
  enum class Clock { sm = 1, memory = 2 };  // as nvmlClockType_t

  /// `bus_id` is the PCI bus id of the GPU, as cudaDeviceGetPCIBusId tells it.
  explicit Nvml(const std::string& bus_id);
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;
  ~Nvml();

  /// Number of compute processes on the GPU, this one included. In a container it may be 0.
  [[nodiscard]] std::optional<std::int64_t> processes() const;
  /// The present clock in MHz.
  [[nodiscard]] std::optional<std::int64_t> megahertz(Clock clock) const;
  /// All SM clocks in MHz that the GPU can have at this memory clock, in any order.
  [[nodiscard]] std::vector<std::int64_t> supported_sm_megahertz(std::int64_t memory_megahertz) const;
  [[nodiscard]] std::optional<double> watts() const;
  [[nodiscard]] std::optional<double> degrees_celsius() const;
  /// Bits nvmlClocksThrottleReason... of nvml.h.
  [[nodiscard]] std::optional<std::uint64_t> throttle_reasons() const;
  /// Links to other GPUs or switches that carry data; nothing if there are none.
  struct Links {
    std::string version;  ///< e.g. "4.0"
    std::int64_t width;   ///< number of links
  };
  [[nodiscard]] std::optional<Links> nvlinks() const;
  /// Whether an NVLink chip-to-chip link joins the GPU with its host, as in Grace Hopper.
  [[nodiscard]] bool has_chip_to_chip_link() const;
  /// Generation and lanes of the PCIe link at its best, since an idle link may have slowed down.
  [[nodiscard]] std::optional<std::int64_t> pcie_generation() const;
  [[nodiscard]] std::optional<std::int64_t> pcie_lanes() const;
  /// The NUMA node of the host whose memory is nearest, the first if several are.
  [[nodiscard]] std::optional<std::int64_t> nearest_numa_node() const;
  /// Number of cores, in all SMs together.
  [[nodiscard]] std::optional<std::int64_t> cores() const;
  /// E.g. "580.65.06".
  [[nodiscard]] std::optional<std::string> driver_version() const;

 private:
  using Device = struct Opaque*;
  /// The C function of this name, null if the library lacks it.
  template <typename... Arguments>
  [[nodiscard]] auto function(const char* name) const -> int (*)(Arguments...);
  /// What a function answers that writes one value; nothing if it fails.
  template <typename Value, typename... Arguments>
  [[nodiscard]] std::optional<Value> ask(const char* name, Arguments... arguments) const;

  void* library_ = nullptr;
  bool is_initialised_ = false;
  Device device_ = nullptr;
};

}  // namespace tomograph::cuda

#endif
