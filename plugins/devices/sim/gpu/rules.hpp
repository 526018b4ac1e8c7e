#ifndef TOMOGRAPH_SIM_GPU_RULES_HPP
#define TOMOGRAPH_SIM_GPU_RULES_HPP

#include <cstdint>
#include <optional>
#include <string>

/// What the rules of all parts of a description are written in.
namespace tomograph::sim {

/// A rule that a description breaks, and the key that it is about, e.g. "cache.l1.sector_size".
struct Violation {
  std::string key;
  std::string rule;
};
using Broken = std::optional<Violation>;

[[nodiscard]] inline std::string text(std::int64_t value) { return std::to_string(value); }
[[nodiscard]] bool is_power_of_two(std::int64_t value);

[[nodiscard]] Broken at_least(const std::string& key, std::int64_t value, std::int64_t minimum);
[[nodiscard]] Broken at_most(const std::string& key, std::int64_t value, std::int64_t maximum);
[[nodiscard]] Broken power_of_two(const std::string& key, std::int64_t value);

/// The same rule, about a key of the table `key`.
[[nodiscard]] Broken within(const std::string& key, Broken broken);

}  // namespace tomograph::sim

#endif
