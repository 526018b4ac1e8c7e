#ifndef TOMOGRAPH_HOST_DOCUMENTS_SCHEMA_HPP
#define TOMOGRAPH_HOST_DOCUMENTS_SCHEMA_HPP

#include <filesystem>
#include <string_view>
#include <vector>

#include "documents/toml_document.hpp"

namespace tomograph::host {

/// Path of an installed schema, e.g. "topology" for topology.schema.json, relative to this program. For "#:schema"
/// lines: we ourselves validate with the copy in the program.
[[nodiscard]] std::filesystem::path schema_file(std::string_view name);

/// What is wrong with the document by the schema of that name, in the order of the file: each violation once, at
/// the innermost key that it is about.
[[nodiscard]] std::vector<Problem> schema_violations(const TomlDocument& document, std::string_view schema_name);

}  // namespace tomograph::host

#endif
