#include "sim/gpu/conditions.hpp"

#include <algorithm>
#include <functional>
#include <limits>

#include "sim/gpu/section.hpp"

namespace tomograph::sim {

namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
constexpr double mega = 1e6;

tomograph_throttle_reasons reasons_in(const Section& section) {
  static const std::vector<std::pair<std::string, tomograph_throttle_reasons>> words{
      {"idle", TOMOGRAPH_THROTTLE_IDLE},
      {"setting", TOMOGRAPH_THROTTLE_SETTING},
      {"power-cap", TOMOGRAPH_THROTTLE_POWER_CAP},
      {"thermal", TOMOGRAPH_THROTTLE_THERMAL},
  };
  if (!section.has("throttle_reasons")) return TOMOGRAPH_THROTTLE_UNKNOWN;
  tomograph_throttle_reasons reasons = 0;
  for (const std::string& word : section.texts("throttle_reasons")) reasons |= meaning(word, words);
  return reasons;
}

Conditions read_one(const Section& section) {
  Conditions conditions{section.number("after_s", 0), {}};
  tomograph_reading& told = conditions.told;
  told.sm_clock = section.number("sm_clock_mhz", unknown) * mega;
  told.sm_clock_step = section.number("sm_clock_step_mhz", unknown) * mega;
  told.memory_clock = section.number("memory_clock_mhz", unknown) * mega;
  told.power = section.number("power_w", unknown);
  told.temperature = section.number("temperature_c", unknown);
  told.other_processes = section.number("other_processes", unknown);
  told.throttle_reasons = reasons_in(section);
  return conditions;
}

}  // namespace

Broken violation(const std::vector<Conditions>& conditions) {
  if (std::ranges::is_sorted(conditions, std::less{}, &Conditions::after)) return std::nullopt;
  return Violation{"conditions", "must be in the order of after_s"};
}

std::vector<Conditions> read_conditions(const Section& root) {
  std::vector<Conditions> all;
  for (const Section& section : root.sections("conditions")) all.push_back(read_one(section));
  return all;
}

void tell(std::span<const Conditions> conditions, double seconds, tomograph_reading& reading) {
  const auto next = std::ranges::upper_bound(conditions, seconds, std::less{}, &Conditions::after);
  if (next == conditions.begin()) return;
  const std::uint32_t size = reading.struct_size;
  reading = std::prev(next)->told;
  reading.struct_size = size;
}

}  // namespace tomograph::sim
