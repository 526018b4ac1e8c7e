#ifndef TOMOGRAPH_DOCUMENTS_SCHEMA_HPP
#define TOMOGRAPH_DOCUMENTS_SCHEMA_HPP

#include <string_view>
#include <vector>

#include "tomograph/documents/toml_document.hpp"

namespace tomograph {

/// Checks a document against `schema`, the text of a JSON Schema (draft 7). Returns each violation once, in the order
/// of the file, at the innermost key that it concerns, with what was expected and the nearest right name.
/// A file of another kind, or of a newer version, has that as its only problem.
/// @throws nlohmann::json::parse_error if `schema` is no JSON.
[[nodiscard]] std::vector<Problem> schema_violations(const TomlDocument& document, std::string_view schema);

}  // namespace tomograph

#endif
