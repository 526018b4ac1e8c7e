#include "tomograph/documents/document_kind.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tomograph::schema {
namespace {

using Json = nlohmann::json;

/// A kind of file: how people call it, and two keys that no other kind has both of.
struct DocumentKind {
  std::string_view name;         ///< the title of its schema, after "Tomograph "
  std::string_view schema_file;  ///< without ".schema.json"
  std::array<const char*, 2> keys;
};

constexpr std::array kinds{
    DocumentKind{"topology", "topology", {"schema_version", "provenance"}},
    DocumentKind{"fleet", "fleet", {"schema_version", "false_alarm_rate"}},
    DocumentKind{"simulated GPU", "simulated-gpu", {"sm_count", "sm_clock_mhz"}},
    DocumentKind{"kernel", "kernel", {"iterations", "instruction"}},
    DocumentKind{"interval profile", "profile", {"llc_miss_ratio", "interval"}},
    DocumentKind{"configuration", "configuration", {"include", "exclude"}},
};

bool has_keys_of(const DocumentKind& kind, const Json& root) {
  return std::ranges::all_of(kind.keys, [&](const char* key) { return root.contains(key); });
}

/// By the keys, since a "#:schema" line may be left over from a file that was copied.
const DocumentKind* find_kind(const TomlDocument& document) {
  const auto* found =
      std::ranges::find_if(kinds, [&](const DocumentKind& kind) { return has_keys_of(kind, document.value); });
  if (found != kinds.end()) return found;
  found = std::ranges::find_if(kinds, [&](const DocumentKind& kind) {
    return document.schema.ends_with(fmt::format("{}.schema.json", kind.schema_file));
  });
  return found == kinds.end() ? nullptr : found;
}

std::string with_article(std::string_view name) {
  const bool begins_with_vowel = std::string_view("aeiou").find(name.front()) != std::string_view::npos;
  return fmt::format("{} {}", begins_with_vowel ? "an" : "a", name);
}

/// The versions that the schema's rule for schema_version accepts.
std::vector<std::int64_t> known_versions(const Json& schema) {
  const Json rule = schema.value("/properties/schema_version"_json_pointer, Json::object());
  if (rule.contains("const")) return {rule.at("const").get<std::int64_t>()};
  return rule.value("enum", std::vector<std::int64_t>());
}

}  // namespace

std::string_view kind_of(const TomlDocument& document) {
  const DocumentKind* kind = find_kind(document);
  return kind == nullptr ? std::string_view() : kind->schema_file;
}

std::optional<Problem> of_another_kind(const TomlDocument& document, const Json& schema) {
  constexpr std::string_view prefix = "Tomograph ";
  const std::string title = schema.value("title", "");
  const DocumentKind* kind = find_kind(document);
  if (kind == nullptr || !title.starts_with(prefix) || title.substr(prefix.size()) == kind->name) return std::nullopt;
  return Problem{.file = document.file.string(),
                 .message = fmt::format("this is {}; expected {}", with_article(kind->name),
                                        with_article(std::string_view(title).substr(prefix.size())))};
}

std::optional<Problem> of_newer_version(const TomlDocument& document, const Json& schema) {
  const std::vector<std::int64_t> known = known_versions(schema);
  const auto version = document.value.find("schema_version");
  if (known.empty() || version == document.value.end() || !version->is_number_integer()) return std::nullopt;
  const auto number = version->get<std::int64_t>();
  if (number <= std::ranges::max(known)) return std::nullopt;
  return document.at("/schema_version",
                     fmt::format("{} is of a newer Tomograph, this one reads {}", number, fmt::join(known, " and ")));
}

}  // namespace tomograph::schema
