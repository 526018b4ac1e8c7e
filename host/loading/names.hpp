#ifndef TOMOGRAPH_HOST_LOADING_NAMES_HPP
#define TOMOGRAPH_HOST_LOADING_NAMES_HPP

#include <span>
#include <string_view>

/// The grammar of the names that plugins declare.
namespace tomograph::host {

/// Lower-case letters, digits and '-', or several of these words joined by '.'.
[[nodiscard]] bool is_plugin_id(std::string_view text);
/// The part after "<plugin id>/" in the id of a probe: lower-case letters, digits, '.', '_' and '-'.
[[nodiscard]] bool is_probe_name(std::string_view text);
/// Lower-case letters, digits, '_' and '-', starting with a letter.
[[nodiscard]] bool is_device_id(std::string_view text);
/// A point followed by letters, digits, '.', '_' and '-': ".csv", ".accel-sim.config".
[[nodiscard]] bool is_file_suffix(std::string_view text);
/// Lower-case letters, digits and '_', starting with a letter.
[[nodiscard]] bool is_parameter_name(std::string_view text);
/// Words of lower-case letters, digits and '_', joined by '.', e.g. "l1_data.line_size".
[[nodiscard]] bool is_fact_key(std::string_view text);
/// Lower-case letters and digits, starting with a letter, e.g. "saavedra1992".
[[nodiscard]] bool is_method_name(std::string_view text);
/// Words of lower-case letters, digits, '_' and '-', joined by '.', then '/' and a number: "com.example.name/1".
[[nodiscard]] bool is_experiment_id(std::string_view text);
/// Three decimal numbers joined by '.'.
[[nodiscard]] bool is_version(std::string_view text);

/// The units in which facts may be given.
[[nodiscard]] std::span<const std::string_view> units();
[[nodiscard]] bool is_unit(std::string_view text);

}  // namespace tomograph::host

#endif
