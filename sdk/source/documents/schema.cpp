#include "tomograph/documents/schema.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <regex>
#include <utility>

#ifndef VALIJSON_USE_EXCEPTIONS
#define VALIJSON_USE_EXCEPTIONS 1
#endif
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include "tomograph/documents/nearest_name.hpp"

namespace tomograph::documents {
namespace {

/// The schemas that may govern one value: several where alternatives are allowed.
using Candidates = std::vector<const Json*>;

/// The keys from the root of a document to a value.
using Path = std::vector<std::string>;

/// A violation as the validator reports it.
struct Violation {
  Path path;
  std::string description;
};

std::vector<Violation> violations(const Json& value, const Json& schema_json) {
  valijson::Schema schema;
  valijson::SchemaParser().populateSchema(valijson::adapters::NlohmannJsonAdapter(schema_json), schema);
  valijson::ValidationResults results;
  valijson::Validator().validate(schema, valijson::adapters::NlohmannJsonAdapter(value), &results);
  std::vector<Violation> found;
  for (const auto& error : results) {
    Violation violation{.path = {}, .description = error.description};
    for (std::size_t i = 1; i < error.context.size(); ++i) {  // element 0 is "<root>", the others are "[token]"
      violation.path.push_back(error.context[i].substr(1, error.context[i].size() - 2));
    }
    found.push_back(std::move(violation));
  }
  return found;
}

/// The validator says of every enclosing table, too, that it failed; only the innermost complaint says why.
bool is_consequence(const Violation& violation) { return violation.description.starts_with("Failed to validate"); }

bool is_unknown_key(const Violation& violation) {
  return violation.description.starts_with("Object contains a property");
}

bool is_missing_key(const Violation& violation) { return violation.description.starts_with("Missing"); }

bool is_below(const Path& inner, const Path& outer) {
  return inner.size() > outer.size() && std::equal(outer.begin(), outer.end(), inner.begin());
}

/// Adds `schema` with what it refers to and the alternatives that it allows.
void expand(const Json& schema, const Json& root, Candidates& into) {
  if (!schema.is_object()) return;
  into.push_back(&schema);
  if (const auto reference = schema.find("$ref"); reference != schema.end()) {
    const Json::json_pointer target(reference->get<std::string>().substr(1));
    expand(root.at(target), root, into);
  }
  for (const char* keyword : {"anyOf", "oneOf", "allOf"}) {
    if (!schema.contains(keyword)) continue;
    for (const Json& alternative : schema.at(keyword)) expand(alternative, root, into);
  }
  for (const char* keyword : {"then", "else"}) {
    if (schema.contains(keyword)) expand(schema.at(keyword), root, into);
  }
}

/// The schema that `parent` holds for its member or element `token`.
const Json* schema_of_child(const Json& parent, const std::string& token) {
  if (const auto properties = parent.find("properties"); properties != parent.end() && properties->contains(token)) {
    return &properties->at(token);
  }
  if (const auto patterns = parent.find("patternProperties"); patterns != parent.end()) {
    for (const auto& [pattern, schema] : patterns->items()) {
      if (std::regex_search(token, std::regex(pattern))) return &schema;
    }
  }
  for (const char* keyword : {"additionalProperties", "items"}) {
    if (parent.contains(keyword) && parent.at(keyword).is_object()) return &parent.at(keyword);
  }
  return nullptr;
}

Candidates schemas_at(const Json& root, const std::vector<std::string>& path) {
  Candidates current;
  expand(root, root, current);
  for (const std::string& token : path) {
    Candidates next;
    for (const Json* parent : current) {
      if (const Json* child = schema_of_child(*parent, token)) expand(*child, root, next);
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

/// What one schema asks of a value, or nothing if it does not say.
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
  constexpr std::size_t enough = 60;
  return text.size() > enough ? text.substr(0, enough) + "..." : text;
}

/// The name that the validator quotes at the end of its description.
std::string quoted_name(const std::string& description) {
  const std::size_t end = description.rfind('\'');
  const std::size_t begin = description.rfind('\'', end - 1) + 1;
  return description.substr(begin, end - begin);
}

/// Turns violations into problems that say what was expected, from the schemas that govern the place.
class Explainer {
 public:
  Explainer(const TomlDocument& document, const Json& root) : document_(&document), root_(&root) {}

  [[nodiscard]] Problem explain(const Violation& violation) const {
    const std::string pointer = pointer_of(violation.path);
    const std::string& description = violation.description;
    if (is_unknown_key(violation)) {
      const std::string name = quoted_name(description);
      const std::string hint = suggestion(name, known_keys(schemas_at(*root_, violation.path)));
      return document_->at(pointer_to(pointer, name), "unknown key" + hint);
    }
    if (is_missing_key(violation)) {
      return document_->at(pointer, fmt::format("the key {} is missing", quoted_name(description)));
    }
    return document_->at(pointer, about_value(violation));
  }

  /// Whether another violation says more: that a part of the value is wrong, which leaves the other alternatives aside,
  /// or that the missing key is misspelt.
  [[nodiscard]] bool is_explained_by(const Violation& violation, const Violation& other) const {
    if (is_missing_key(violation)) {
      return is_unknown_key(other) && other.path == violation.path &&
             nearest_name(quoted_name(other.description), known_keys(schemas_at(*root_, other.path))) ==
                 quoted_name(violation.description);
    }
    const bool is_about_value = !is_unknown_key(violation) && !is_consequence(violation);
    return is_about_value && !is_consequence(other) && is_below(other.path, violation.path);
  }

  /// The validator refuses ill-formed names ("propertyNames") without saying which: the names at and below `path`
  /// that it means.
  [[nodiscard]] std::vector<Problem> ill_formed_names(const Json& value, const Path& path) const {
    std::vector<Problem> problems;
    if (!value.is_structured()) return problems;
    const Candidates schemas = schemas_at(*root_, path);
    for (const auto& [name, member] : value.items()) {
      Path inner = path;
      inner.push_back(name);
      const auto pattern = value.is_object() ? violated_pattern(name, schemas) : std::nullopt;
      if (pattern) problems.push_back(document_->at(pointer_of(inner), "expected a key that matches " + *pattern));
      const std::vector<Problem> below = ill_formed_names(member, inner);
      problems.insert(problems.end(), below.begin(), below.end());
    }
    return problems;
  }

 private:
  static std::string pointer_of(const Path& path) {
    std::string pointer;
    for (const std::string& token : path) pointer = pointer_to(pointer, token);
    return pointer;
  }

  [[nodiscard]] std::optional<std::string> violated_pattern(const std::string& name, const Candidates& schemas) const {
    for (const Json* schema : schemas) {
      if (!schema->contains("propertyNames")) continue;
      Candidates rules;
      expand(schema->at("propertyNames"), *root_, rules);
      for (const Json* rule : rules) {
        const auto pattern = rule->value("pattern", std::string());
        if (!std::regex_search(name, std::regex(pattern))) return pattern;
      }
    }
    return std::nullopt;
  }

  [[nodiscard]] std::string about_value(const Violation& violation) const {
    std::vector<std::string> expectations;
    const Candidates schemas = schemas_at(*root_, violation.path);
    for (const Json* schema : schemas) {
      const auto text = expectation(*schema);
      if (text && std::ranges::find(expectations, *text) == expectations.end()) expectations.push_back(*text);
    }
    if (expectations.empty()) return violation.description;
    const Json& value = document_->value.at(Json::json_pointer(pointer_of(violation.path)));
    const std::string hint = value.is_string() ? suggestion(value.get<std::string>(), known_words(schemas)) : "";
    return fmt::format("expected {}, found {}{}", fmt::join(expectations, " or "), found_instead(value),
                       hint.empty() ? misspelling(violation.path) : hint);
  }

  /// A hint where a table takes any key, but the one given is nearly one that it gives a meaning to.
  [[nodiscard]] std::string misspelling(Path path) const {
    if (path.empty()) return {};
    const std::string name = std::move(path.back());
    path.pop_back();
    const std::vector<std::string> keys = known_keys(schemas_at(*root_, path));
    return std::ranges::find(keys, name) == keys.end() ? suggestion(name, keys) : std::string();
  }

  const TomlDocument* document_;
  const Json* root_;
};

}  // namespace

std::vector<Problem> schema_violations(const TomlDocument& document, std::string_view schema) {
  const Json root = Json::parse(schema);
  const Explainer explainer(document, root);
  std::vector<Problem> problems = explainer.ill_formed_names(document.value, {});
  std::vector<Problem> consequences;
  const std::vector<Violation> all = violations(document.value, root);
  for (const Violation& violation : all) {
    const auto explains = [&](const Violation& other) { return explainer.is_explained_by(violation, other); };
    if (std::ranges::any_of(all, explains)) continue;
    Problem problem = explainer.explain(violation);
    auto& list = is_consequence(violation) ? consequences : problems;
    if (std::ranges::find(list, problem) == list.end()) list.push_back(std::move(problem));
  }
  if (problems.empty()) problems = std::move(consequences);
  std::ranges::stable_sort(problems, {},
                           [](const Problem& problem) { return std::pair(problem.line, problem.column); });
  return problems;
}

}  // namespace tomograph::documents
