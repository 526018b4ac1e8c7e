#ifndef TOMOGRAPH_DOCUMENTS_DOCUMENT_KIND_HPP
#define TOMOGRAPH_DOCUMENTS_DOCUMENT_KIND_HPP

#include <nlohmann/json.hpp>
#include <optional>

#include "tomograph/documents/toml_document.hpp"

/// Two mistakes that a single sentence tells better than the hundreds of violations that follow from them.
namespace tomograph::schema {

/// The document is of another kind of Tomograph's files than `schema` describes. Nothing where its keys or its
/// "#:schema" line do not show that.
[[nodiscard]] std::optional<Problem> of_another_kind(const TomlDocument& document, const nlohmann::json& schema);

/// The document's schema_version is beyond those that `schema` knows.
[[nodiscard]] std::optional<Problem> of_newer_version(const TomlDocument& document, const nlohmann::json& schema);

}  // namespace tomograph::schema

#endif
