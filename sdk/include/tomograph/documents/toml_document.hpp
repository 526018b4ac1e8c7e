#ifndef TOMOGRAPH_DOCUMENTS_TOML_DOCUMENT_HPP
#define TOMOGRAPH_DOCUMENTS_TOML_DOCUMENT_HPP

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "tomograph/documents/input_error.hpp"

namespace tomograph::documents {

using Json = nlohmann::json;

/// Where a key stands in its file, both from 1; 0 if not known.
struct TomlPosition {
  unsigned line = 0;
  unsigned column = 0;
};

/// By JSON pointer (RFC 6901) into the document's value.
using TomlPositions = std::map<std::string, TomlPosition>;

/// A TOML file as plain data with the position of each key.
struct TomlDocument {
  std::filesystem::path file;
  Json value;
  TomlPositions positions;
  std::string schema;  ///< what its "#:schema" line says, or empty

  /// A problem with the value at `pointer`: the nearest enclosing key that has a position gives the place.
  [[nodiscard]] Problem at(const std::string& pointer, std::string message) const;
};

/// Reads a TOML file. Dates and times become text; NaN and infinities are refused.
/// @throws InputError naming file, line and column if it cannot be read or is malformed.
[[nodiscard]] TomlDocument read_toml(const std::filesystem::path& path);
/// The same from text that came from `path`.
[[nodiscard]] TomlDocument parse_toml(std::string_view text, const std::filesystem::path& path);

/// JSON pointer to the member `key` of the object at `parent`.
[[nodiscard]] std::string pointer_to(const std::string& parent, std::string_view key);

/// A JSON pointer into `root` as a TOML key: "/probes/a~1b/x" becomes probes."a/b".x, an element of an array [3].
[[nodiscard]] std::string toml_key(const Json& root, const std::string& pointer);

}  // namespace tomograph::documents

#endif
