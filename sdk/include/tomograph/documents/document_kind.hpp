#ifndef TOMOGRAPH_DOCUMENTS_DOCUMENT_KIND_HPP
#define TOMOGRAPH_DOCUMENTS_DOCUMENT_KIND_HPP

#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "tomograph/documents/toml_document.hpp"

/// Which of Tomograph's files a document is, and two mistakes that a single sentence tells better than the hundreds of
/// violations that follow from them.
namespace tomograph::schema {

/// The kind of a document by its keys or else its "#:schema" line, named as the file of its schema, e.g. "topology".
/// Empty where they do not show it.
[[nodiscard]] std::string_view kind_of(const TomlDocument& document);

/// The document is of another kind of Tomograph's files than `schema` describes. Nothing where its keys or its
/// "#:schema" line do not show that.
[[nodiscard]] std::optional<Problem> of_another_kind(const TomlDocument& document, const nlohmann::json& schema);

/// The document's schema_version is beyond those that `schema` knows.
[[nodiscard]] std::optional<Problem> of_newer_version(const TomlDocument& document, const nlohmann::json& schema);

}  // namespace tomograph::schema

#endif
