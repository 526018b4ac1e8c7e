#ifndef TOMOGRAPH_DOCUMENTS_TOML_TEXT_HPP
#define TOMOGRAPH_DOCUMENTS_TOML_TEXT_HPP

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

/// Writes JSON values as TOML text. Numbers, booleans and strings look the same in both, except the character DEL.
namespace tomograph {

/// A key, quoted where TOML requires it.
[[nodiscard]] std::string toml_name(std::string_view key);

/// Why TOML cannot hold `value`, or nothing: TOML has no null and no integers beyond 64 bits signed. NaN and infinity
/// are refused as well.
[[nodiscard]] std::optional<std::string> value_obstacle(const nlohmann::json& value);

/// A value on one line; a long array on several lines. @throws std::invalid_argument if TOML cannot hold it.
[[nodiscard]] std::string toml_value(const nlohmann::json& value);

/// The header [name] and the members of `table`, one per line. Inner tables follow with their own headers.
[[nodiscard]] std::string toml_table(const std::string& name, const nlohmann::json& table);

}  // namespace tomograph

#endif
