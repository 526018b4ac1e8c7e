#ifndef TOMOGRAPH_HOST_DOCUMENTS_TOML_TEXT_HPP
#define TOMOGRAPH_HOST_DOCUMENTS_TOML_TEXT_HPP

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

/// Plain data as TOML text. JSON's numbers, booleans and (but for the character DEL) strings are TOML's, too.
namespace tomograph::host {

using Json = nlohmann::json;

/// A key, quoted where TOML asks for it.
[[nodiscard]] std::string toml_name(std::string_view key);

/// Why TOML cannot hold `value`, or nothing: TOML has no null and no integers beyond 64 bits signed. NaN and infinity
/// are refused as well.
[[nodiscard]] std::optional<std::string> value_obstacle(const Json& value);

/// A value on one line, or a long array on several. @throws std::invalid_argument for null and the like.
[[nodiscard]] std::string toml_value(const Json& value);

/// The members of `table` as lines, after the header [name]; tables within it follow under headers of their own.
[[nodiscard]] std::string toml_table(const std::string& name, const Json& table);

}  // namespace tomograph::host

#endif
