#include "sim/gpu/rules.hpp"

#include <bit>

namespace tomograph::sim {

bool is_power_of_two(std::int64_t value) { return value > 0 && std::has_single_bit(static_cast<std::uint64_t>(value)); }

Broken at_least(const std::string& key, std::int64_t value, std::int64_t minimum) {
  if (value >= minimum) return std::nullopt;
  return Violation{key, "is " + text(value) + ", must be at least " + text(minimum)};
}

Broken at_most(const std::string& key, std::int64_t value, std::int64_t maximum) {
  if (value <= maximum) return std::nullopt;
  return Violation{key, "is " + text(value) + ", must be at most " + text(maximum)};
}

Broken at_least(const std::string& key, std::int64_t value, const std::string& other, std::int64_t minimum) {
  if (value >= minimum) return std::nullopt;
  return Violation{key, "is " + text(value) + ", must be at least " + other + ", which is " + text(minimum)};
}

Broken at_most(const std::string& key, std::int64_t value, const std::string& other, std::int64_t maximum) {
  if (value <= maximum) return std::nullopt;
  return Violation{key, "is " + text(value) + ", must be at most " + other + ", which is " + text(maximum)};
}

Broken power_of_two(const std::string& key, std::int64_t value) {
  if (is_power_of_two(value)) return std::nullopt;
  return Violation{key, "is " + text(value) + ", must be a power of two"};
}

Broken within(const std::string& key, Broken broken) {
  if (broken) broken->key = key + "." + broken->key;
  return broken;
}

}  // namespace tomograph::sim
