#ifndef TOMOGRAPH_DOCUMENTS_SCHEMA_HPP
#define TOMOGRAPH_DOCUMENTS_SCHEMA_HPP

#include <string_view>
#include <vector>

#include "tomograph/documents/toml_document.hpp"

namespace tomograph::documents {

/// What is wrong with the document by a JSON schema, draft 7, given as text. In the order of the file; each violation
/// appears once, at the innermost key that it is about, with what was expected and the nearest right name.
/// @throws nlohmann::json::parse_error if `schema` is no JSON.
[[nodiscard]] std::vector<Problem> schema_violations(const TomlDocument& document, std::string_view schema);

}  // namespace tomograph::documents

#endif
