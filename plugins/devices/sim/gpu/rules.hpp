#ifndef TOMOGRAPH_SIM_GPU_RULES_HPP
#define TOMOGRAPH_SIM_GPU_RULES_HPP

#include <cstdint>
#include <optional>
#include <string>

/// Building blocks of the rules that a description must keep.
namespace tomograph::sim {

/// A broken rule and the key that breaks it, e.g. "cache.l1.sector_size".
struct Violation {
  std::string key;
  std::string rule;
};
using Broken = std::optional<Violation>;

[[nodiscard]] inline std::string text(std::int64_t value) { return std::to_string(value); }
[[nodiscard]] bool is_power_of_two(std::int64_t value);

[[nodiscard]] Broken at_least(const std::string& key, std::int64_t value, std::int64_t minimum);
[[nodiscard]] Broken at_most(const std::string& key, std::int64_t value, std::int64_t maximum);
/// The same with the value of the key `other` as the limit.
[[nodiscard]] Broken at_least(const std::string& key, std::int64_t value, const std::string& other,
                              std::int64_t minimum);
[[nodiscard]] Broken at_most(const std::string& key, std::int64_t value, const std::string& other,
                             std::int64_t maximum);
[[nodiscard]] Broken power_of_two(const std::string& key, std::int64_t value);

/// `broken` with its key prefixed by that of its table.
[[nodiscard]] Broken within(const std::string& key, Broken broken);

}  // namespace tomograph::sim

#endif
