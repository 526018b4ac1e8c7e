#ifndef TOMOGRAPH_DOCUMENTS_TOML_DOCUMENT_HPP
#define TOMOGRAPH_DOCUMENTS_TOML_DOCUMENT_HPP

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "tomograph/documents/input_error.hpp"

namespace tomograph {

/// Position of a key in its file, counted from 1; 0 if not known.
struct TomlPosition {
  unsigned line = 0;
  unsigned column = 0;
};

/// Positions of keys, by JSON pointer (RFC 6901) into the document's value.
using TomlPositions = std::map<std::string, TomlPosition>;

/// The values of a TOML file, with the position of each key.
struct TomlDocument {
  std::filesystem::path file;
  nlohmann::json value;
  TomlPositions positions;
  std::string schema;  ///< the reference on its "#:schema" line, or empty

  /// A problem with the value at `pointer`, at the position of the nearest enclosing key that has one.
  [[nodiscard]] Problem at(const std::string& pointer, std::string message) const;
};

/// Reads a TOML file. Dates and times become text. NaN and infinity are errors.
/// @throws InputError with file, line and column if the file cannot be read or is malformed.
[[nodiscard]] TomlDocument read_toml(const std::filesystem::path& path);
/// Parses text that was read from `path`, as read_toml does.
[[nodiscard]] TomlDocument parse_toml(std::string_view text, const std::filesystem::path& path);

/// JSON pointer to the member `key` of the table at `parent`.
[[nodiscard]] std::string pointer_to(const std::string& parent, std::string_view key);

/// The TOML key for a JSON pointer into `root`: "/probes/a~1b/x" becomes probes."a/b".x, and an array element [3].
[[nodiscard]] std::string toml_key(const nlohmann::json& root, const std::string& pointer);

}  // namespace tomograph

#endif
