#ifndef TOMOGRAPH_HOST_CONFIGURATION_SCHEMA_HPP
#define TOMOGRAPH_HOST_CONFIGURATION_SCHEMA_HPP

#include <filesystem>
#include <string_view>
#include <vector>

#include "configuration/toml_document.hpp"

namespace tomograph::host {

/// Path of an installed schema, e.g. "topology" for topology.schema.json, found relative to this program.
[[nodiscard]] std::filesystem::path schema_file(std::string_view name);

/// What is wrong with the document by its schema: each violation once, at the innermost key that it is about.
/// @throws std::runtime_error if the schema is not installed or broken.
[[nodiscard]] std::vector<Problem> schema_violations(const TomlDocument& document, std::string_view schema_name);

}  // namespace tomograph::host

#endif
