#ifndef TOMOGRAPH_HOST_REPORTING_QUANTITY_HPP
#define TOMOGRAPH_HOST_REPORTING_QUANTITY_HPP

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace tomograph::host {

/// A fact's value for people: "249 KiB", "38.5 cycles", "3.35 TB/s", "yes", at four significant digits. Long lists
/// become their range, rows of three columns and more their ends or their number (rows.hpp).
[[nodiscard]] std::string quantity(const nlohmann::json& value, std::string_view unit);

/// "264 to 314 cycles", or one of them if they are the same.
[[nodiscard]] std::string range_text(double low, double high, std::string_view unit);

/// "1 fact", "3 facts".
[[nodiscard]] std::string counted(std::size_t count, std::string_view noun, std::string_view plural);

/// A confidence below 1 never reads as 100 %: "99.99 %".
[[nodiscard]] std::string percent_of(double confidence);

/// Whether the value of a fact is a list of groups, as the key says.
[[nodiscard]] bool is_grouped(const std::string& key, const nlohmann::json& value);

/// A fact's value on one line as quantity() has it; groups, for example of SMs, by their sizes alone.
[[nodiscard]] std::string short_value(const std::string& key, const nlohmann::json& value, std::string_view unit);

/// Lists of numbers, e.g. of SMs, by their lengths alone: "24 groups of 4 to 6".
[[nodiscard]] std::string group_sizes(const nlohmann::json& groups);

}  // namespace tomograph::host

#endif
