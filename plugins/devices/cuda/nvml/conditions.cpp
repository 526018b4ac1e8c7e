#include "cuda/nvml/conditions.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace tomograph::cuda {

namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
constexpr double mega = 1e6;

struct Reason {
  std::uint64_t nvml;
  tomograph_throttle_reasons own;
};
constexpr std::array reasons{
    Reason{0x1, TOMOGRAPH_THROTTLE_IDLE},          // GpuIdle
    Reason{0x2, TOMOGRAPH_THROTTLE_SETTING},       // ApplicationsClocksSetting
    Reason{0x4, TOMOGRAPH_THROTTLE_POWER_CAP},     // SwPowerCap
    Reason{0x8, TOMOGRAPH_THROTTLE_HARDWARE},      // HwSlowdown
    Reason{0x10, TOMOGRAPH_THROTTLE_SYNC_BOOST},   // SyncBoost
    Reason{0x20, TOMOGRAPH_THROTTLE_THERMAL},      // SwThermalSlowdown
    Reason{0x40, TOMOGRAPH_THROTTLE_THERMAL},      // HwThermalSlowdown
    Reason{0x80, TOMOGRAPH_THROTTLE_POWER_BRAKE},  // HwPowerBrakeSlowdown
    Reason{0x100, TOMOGRAPH_THROTTLE_SETTING},     // DisplayClockSetting
};

double hertz(std::optional<std::int64_t> megahertz) {
  return megahertz ? static_cast<double>(*megahertz) * mega : unknown;
}

}  // namespace

tomograph_throttle_reasons throttle_reasons(std::uint64_t nvml_reasons) {
  tomograph_throttle_reasons set = 0;
  for (const Reason& reason : reasons) {
    if ((nvml_reasons & reason.nvml) != 0) set |= reason.own;
  }
  return set;
}

double clock_step(std::vector<std::int64_t> clocks) {
  std::ranges::sort(clocks);
  clocks.erase(std::unique(clocks.begin(), clocks.end()), clocks.end());
  if (clocks.size() < 2) return unknown;
  std::vector<std::int64_t> steps;
  for (std::size_t i = 1; i < clocks.size(); ++i) steps.push_back(clocks[i] - clocks[i - 1]);
  const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
  std::ranges::nth_element(steps, middle);
  return static_cast<double>(*middle);
}

Conditions::Conditions(const Nvml& nvml, std::optional<std::int64_t> processes_before)
    : nvml_(&nvml),
      clock_step_(mega * clock_step(nvml.supported_sm_megahertz(nvml.megahertz(Nvml::Clock::memory).value_or(0)))) {
  const auto processes = nvml.processes();
  if (processes && processes_before) own_processes_ = std::clamp<std::int64_t>(*processes - *processes_before, 0, 1);
}

void Conditions::read(tomograph_reading& reading) const noexcept {
  reading.sm_clock = hertz(nvml_->megahertz(Nvml::Clock::sm));
  reading.sm_clock_step = clock_step_;
  reading.memory_clock = hertz(nvml_->megahertz(Nvml::Clock::memory));
  reading.power = nvml_->watts().value_or(unknown);
  reading.temperature = nvml_->degrees_celsius().value_or(unknown);
  if (const auto processes = nvml_->processes()) {
    reading.other_processes = static_cast<double>(std::max<std::int64_t>(*processes - own_processes_, 0));
  }
  if (const auto bits = nvml_->throttle_reasons()) reading.throttle_reasons = throttle_reasons(*bits);
}

}  // namespace tomograph::cuda
