#ifndef TOMOGRAPH_PLUGINS_CUDA_DEVICE_HPP
#define TOMOGRAPH_PLUGINS_CUDA_DEVICE_HPP

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "cuda/l2_lines/instrument.hpp"
#include "cuda/links/transfers.hpp"
#include "cuda/memory/arena.hpp"
#include "cuda/neighbours/neighbour_monitor.hpp"
#include "cuda/nvml/conditions.hpp"
#include "cuda/nvml/nvml.hpp"
#include "tomograph/abi/neighbours.h"
#include "tomograph/instrument.hpp"
#include "tomograph/plugin.hpp"

namespace tomograph::cuda {

/// The device "cuda": an NVIDIA GPU, with one instrument for each standard experiment.
class Device {
 public:
  static constexpr const char* id = "cuda";
  static constexpr const char* description = "NVIDIA GPUs, through the CUDA runtime";
  static constexpr const char* target_help = "GPU number, as nvidia-smi and CUDA_VISIBLE_DEVICES count, or UUID";
  static constexpr bool is_real = true;

  /// The usable GPUs; none without a driver.
  static std::vector<Target> enumerate(const Session& session);

  Device(const Session& session, std::string_view target);

  std::vector<Answer> execute(std::span<const Experiment> batch);

 private:
  /// Lets the host ask for other programs, if it wants to know.
  void report_neighbours();

  const tomograph_host* host_;
  const tomograph_neighbours* neighbours_ = nullptr;
  std::unique_ptr<Nvml> nvml_;
  std::unique_ptr<Conditions> conditions_;
  std::unique_ptr<NeighbourMonitor> monitor_;
  std::unique_ptr<Arena> arena_;
  std::unique_ptr<LineMemory> lines_;
  Instruments instruments_;
  Transfers* transfers_ = nullptr;  ///< among the instruments
};

}  // namespace tomograph::cuda

#endif
