#ifndef TOMOGRAPH_HOST_DOCUMENTS_SCHEMA_HPP
#define TOMOGRAPH_HOST_DOCUMENTS_SCHEMA_HPP

#include <filesystem>
#include <string_view>
#include <vector>

#include "tomograph/documents/toml_document.hpp"

namespace tomograph::host {

/// Path of an installed schema, e.g. "topology" for topology.schema.json, relative to this program. For "#:schema"
/// lines: the host itself validates with the copy in the program.
[[nodiscard]] std::filesystem::path schema_file(std::string_view name);

/// Checks a document against the schema of that name (tomograph/documents/schema.hpp).
/// @throws std::invalid_argument if there is no such schema.
[[nodiscard]] std::vector<Problem> named_schema_violations(const TomlDocument& document, std::string_view name);

}  // namespace tomograph::host

#endif
