#ifndef TOMOGRAPH_PLUGINS_CUDA_DEVICE_HPP
#define TOMOGRAPH_PLUGINS_CUDA_DEVICE_HPP

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "tomograph/plugin.hpp"

namespace tomograph::cuda {

/// An NVIDIA GPU that executes chase programs.
class Device {
 public:
  static constexpr const char* id = "cuda";
  static constexpr const char* description = "NVIDIA GPUs, through the CUDA runtime";
  static constexpr const char* target_help = "GPU number, as nvidia-smi and CUDA_VISIBLE_DEVICES count";
  static constexpr bool is_real = true;

  /// The GPUs that can be used; none where there is no driver.
  static std::vector<Target> enumerate(const Session& session);

  Device(const Session& session, std::string_view target);
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  ~Device();

  std::vector<Answer> execute(std::span<const Experiment> batch);

 private:
  struct Gpu;

  std::unique_ptr<Gpu> gpu_;
};

}  // namespace tomograph::cuda

#endif
