#include "tomograph/documents/schema.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "schema_violation.hpp"
#include "tomograph/documents/document_kind.hpp"
#include "tomograph/documents/nearest_name.hpp"

namespace tomograph {
namespace {

using schema::Json;
using schema::JsonPath;
using schema::resolved_reference;
using schema::schema_of_member;
using schema::SchemaViolation;

/// The schemas that may apply to one value: several where the schema has alternatives.
using Candidates = std::vector<const Json*>;

/// Adds `schema`, the schemas that it refers to and its alternatives.
void expand(const Json& schema, const Json& root, Candidates& into) {
  if (!schema.is_object()) return;
  into.push_back(&schema);
  if (const auto reference = schema.find("$ref"); reference != schema.end()) {
    expand(resolved_reference(root, *reference), root, into);
  }
  for (const char* keyword : {"anyOf", "oneOf", "allOf"}) {
    if (!schema.contains(keyword)) continue;
    for (const Json& alternative : schema.at(keyword)) expand(alternative, root, into);
  }
}

Candidates schemas_at(const Json& root, const JsonPath& path) {
  Candidates current;
  expand(root, root, current);
  for (const std::string& token : path) {
    Candidates next;
    for (const Json* parent : current) {
      if (const Json* child = schema_of_member(*parent, token)) expand(*child, root, next);
    }
    current = std::move(next);
  }
  return current;
}

std::vector<std::string> known_keys(const Candidates& schemas) {
  std::vector<std::string> keys;
  for (const Json* schema : schemas) {
    if (!schema->contains("properties")) continue;
    for (const auto& [key, value] : schema->at("properties").items()) keys.push_back(key);
  }
  return keys;
}

/// The words that the schemas enumerate.
std::vector<std::string> known_words(const Candidates& schemas) {
  std::vector<std::string> words;
  for (const Json* schema : schemas) {
    if (!schema->contains("enum")) continue;
    for (const Json& value : schema->at("enum")) {
      if (value.is_string()) words.push_back(value);
    }
  }
  return words;
}

std::string bounds(const Json& schema, const char* minimum, const char* maximum) {
  if (schema.contains(minimum) && schema.contains(maximum)) {
    if (schema.at(minimum) == schema.at(maximum)) return fmt::format(" of {}", schema.at(minimum).dump());
    return fmt::format(" from {} to {}", schema.at(minimum).dump(), schema.at(maximum).dump());
  }
  if (schema.contains(minimum)) return fmt::format(" of at least {}", schema.at(minimum).dump());
  if (schema.contains(maximum)) return fmt::format(" of at most {}", schema.at(maximum).dump());
  return {};
}

std::string expected_type(const Json& schema, const std::string& type) {
  if (type == "boolean") return "true or false";
  if (type == "string") {
    if (schema.contains("pattern")) return fmt::format("text that matches {}", schema.at("pattern").get<std::string>());
    return schema.contains("minLength") ? "text that is not empty" : "text";
  }
  if (type == "object") {
    const std::string size = bounds(schema, "minProperties", "maxProperties");
    return size.empty() ? "a table" : "a table with a number of keys" + size;
  }
  if (type == "array") {
    const std::string size = bounds(schema, "minItems", "maxItems");
    const std::string distinct = schema.value("uniqueItems", false) ? " without repetitions" : "";
    return (size.empty() ? "an array" : "an array with a length" + size) + distinct;
  }
  std::string text = type == "integer" ? "an integer" : "a number";
  if (schema.contains("exclusiveMinimum")) text += " greater than " + schema.at("exclusiveMinimum").dump();
  if (schema.contains("exclusiveMaximum")) text += " less than " + schema.at("exclusiveMaximum").dump();
  if (schema.contains("multipleOf")) text += ", a multiple of " + schema.at("multipleOf").dump() + ",";
  return text + bounds(schema, "minimum", "maximum");
}

/// What one schema expects of a value; nothing if it has no rule that can be put in words.
std::optional<std::string> expectation(const Json& schema) {
  if (schema.contains("const")) return schema.at("const").dump();
  if (schema.contains("enum")) {
    std::vector<std::string> values;
    for (const Json& value : schema.at("enum")) values.push_back(value.dump());
    return fmt::format("one of {}", fmt::join(values, ", "));
  }
  if (!schema.contains("type")) return std::nullopt;
  const Json& type = schema.at("type");
  if (type.is_string()) return expected_type(schema, type);
  std::vector<std::string> types;
  for (const Json& alternative : type) types.push_back(expected_type(schema, alternative));
  return fmt::format("{}", fmt::join(types, " or "));
}

std::string found_instead(const Json& value) {
  if (value.is_object()) return "a table";
  std::string text = value.dump();
  constexpr std::size_t enough = 60;  // shown of a value: a message stays on two lines
  return text.size() > enough ? text.substr(0, enough) + "..." : text;
}

std::string pointer_of(const JsonPath& path) {
  std::string pointer;
  for (const std::string& token : path) pointer = pointer_to(pointer, token);
  return pointer;
}

/// Turns violations into problems. The schemas at the place of a violation tell what was expected.
class Explainer {
 public:
  Explainer(const TomlDocument& document, const Json& root) : document_(&document), root_(&root) {}

  [[nodiscard]] Problem explain(const SchemaViolation& violation) const {
    using Kind = SchemaViolation::Kind;
    const std::string pointer = pointer_of(violation.path);
    const std::string& name = violation.name;
    switch (violation.kind) {
      case Kind::unknown_key:
        return document_->at(pointer_to(pointer, name), "unknown key" + suggestion(name, keys_at(violation.path)));
      case Kind::missing_key: return document_->at(pointer, fmt::format("the key {} is missing", name));
      case Kind::ill_formed_name:
        return document_->at(pointer_to(pointer, name), "expected a key that matches " + name_pattern(violation.path));
      case Kind::wrong_value: break;
    }
    return document_->at(pointer, about_value(violation.path));
  }

  /// Whether `missing` is a missing key, and `other` says that it is misspelt.
  [[nodiscard]] bool is_misspelt(const SchemaViolation& missing, const SchemaViolation& other) const {
    using Kind = SchemaViolation::Kind;
    return missing.kind == Kind::missing_key && other.kind == Kind::unknown_key && other.path == missing.path &&
           nearest_name(other.name, keys_at(other.path)) == missing.name;
  }

 private:
  [[nodiscard]] std::vector<std::string> keys_at(const JsonPath& path) const {
    return known_keys(schemas_at(*root_, path));
  }

  /// The pattern that keys of the table at `path` must match.
  [[nodiscard]] std::string name_pattern(const JsonPath& path) const {
    for (const Json* schema : schemas_at(*root_, path)) {
      if (!schema->contains("propertyNames")) continue;
      Candidates rules;
      expand(schema->at("propertyNames"), *root_, rules);
      for (const Json* rule : rules) {
        if (rule->contains("pattern")) return rule->at("pattern");
      }
    }
    return "the schema";
  }

  [[nodiscard]] std::string about_value(const JsonPath& path) const {
    std::vector<std::string> expectations;
    const Candidates schemas = schemas_at(*root_, path);
    for (const Json* schema : schemas) {
      const auto text = expectation(*schema);
      if (text && std::ranges::find(expectations, *text) == expectations.end()) expectations.push_back(*text);
    }
    if (expectations.empty()) return "does not match the schema";
    const Json& value = document_->value.at(Json::json_pointer(pointer_of(path)));
    const std::string hint = value.is_string() ? suggestion(value.get<std::string>(), known_words(schemas)) : "";
    return fmt::format("expected {}, found {}{}", fmt::join(expectations, " or "), found_instead(value),
                       hint.empty() ? misspelling(path) : hint);
  }

  /// A hint for a table that accepts any key: the known key that was probably meant.
  [[nodiscard]] std::string misspelling(JsonPath path) const {
    if (path.empty()) return {};
    const std::string name = std::move(path.back());
    path.pop_back();
    const std::vector<std::string> keys = keys_at(path);
    return std::ranges::find(keys, name) == keys.end() ? suggestion(name, keys) : std::string();
  }

  const TomlDocument* document_;
  const Json* root_;
};

}  // namespace

std::vector<Problem> schema_violations(const TomlDocument& document, std::string_view schema) {
  const Json root = Json::parse(schema);
  const auto other_kind = schema::of_another_kind(document, root);
  const auto newer = schema::of_newer_version(document, root);
  if (newer && !other_kind) return {*newer};
  const std::vector<SchemaViolation> violations = schema::schema_violations_of(document.value, root);
  if (!violations.empty() && other_kind) return {*other_kind};
  const Explainer explainer(document, root);
  std::vector<Problem> problems;
  for (const SchemaViolation& violation : violations) {
    const auto says_more = [&](const SchemaViolation& other) { return explainer.is_misspelt(violation, other); };
    if (std::ranges::any_of(violations, says_more)) continue;
    Problem problem = explainer.explain(violation);
    if (std::ranges::find(problems, problem) == problems.end()) problems.push_back(std::move(problem));
  }
  std::ranges::stable_sort(problems, {},
                           [](const Problem& problem) { return std::pair(problem.line, problem.column); });
  return problems;
}

}  // namespace tomograph
