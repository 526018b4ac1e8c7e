#include "schema_violation.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <utility>

#ifndef VALIJSON_USE_EXCEPTIONS
#define VALIJSON_USE_EXCEPTIONS 1
#endif
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

namespace tomograph::schema {
namespace {

using Kind = SchemaViolation::Kind;

/// Keywords that Walk follows by itself, and those that ask for nothing.
constexpr std::array<const char*, 13> followed_keywords{
    "$ref",  "properties", "additionalProperties", "items", "propertyNames", "required", "dependencies", "allOf",
    "anyOf", "oneOf",      "definitions",          "title", "description"};

/// Asks the validator whether values match parts of one schema. Each part is compiled once.
class Judge {
 public:
  explicit Judge(const Json& root) : root_(&root) {}

  /// Whether `value` matches `schema`, which is a part of the root and may refer to its definitions.
  bool accepts(const Json& value, const Json& schema) {
    if (&schema == root_) return matches(value, compiled(whole_, schema, [&] { return schema; }));
    return matches(
        value, compiled(whole_, schema, [&] {
          return Json{{"definitions", root_->value("definitions", Json::object())}, {"allOf", Json::array({schema})}};
        }));
  }

  /// The same for the rules of `schema` that Walk does not follow by itself: type, range, length and the like.
  bool accepts_by_itself(const Json& value, const Json& schema) {
    return matches(value, compiled(own_, schema, [&] {
                     Json own = schema;
                     for (const char* keyword : followed_keywords) own.erase(keyword);
                     return own;
                   }));
  }

 private:
  using Compiled = std::map<const Json*, std::unique_ptr<valijson::Schema>>;

  template <typename Text>
  static const valijson::Schema& compiled(Compiled& known, const Json& schema, Text text) {
    auto& entry = known[&schema];
    if (!entry) {
      entry = std::make_unique<valijson::Schema>();
      const Json json = text();
      valijson::SchemaParser().populateSchema(valijson::adapters::NlohmannJsonAdapter(json), *entry);
    }
    return *entry;
  }

  static bool matches(const Json& value, const valijson::Schema& schema) {
    return valijson::Validator().validate(schema, valijson::adapters::NlohmannJsonAdapter(value), nullptr);
  }

  const Json* root_;
  Compiled whole_;
  Compiled own_;
};

/// Goes through a value and its schema side by side and notes what does not fit.
class Walk {
 public:
  explicit Walk(const Json& root) : root_(&root), judge_(root) {}

  std::vector<SchemaViolation> violations(const Json& value) {
    if (!judge_.accepts(value, *root_)) visit(value, *root_);
    return std::move(found_);
  }

 private:
  void visit(const Json& value, const Json& schema) {
    if (const auto reference = schema.find("$ref"); reference != schema.end()) {
      return visit(value, resolved_reference(*root_, *reference));
    }
    if (!judge_.accepts_by_itself(value, schema)) note(Kind::wrong_value);
    if (schema.contains("allOf")) {
      for (const Json& part : schema.at("allOf")) visit(value, part);
    }
    for (const char* keyword : {"anyOf", "oneOf"}) {
      if (schema.contains(keyword)) visit_alternatives(value, schema.at(keyword), std::string_view(keyword) == "oneOf");
    }
    if (value.is_object()) visit_keys(value, schema);
    visit_members(value, schema);
  }

  void visit_alternatives(const Json& value, const Json& alternatives, bool exactly_one) {
    const auto matching = std::ranges::count_if(
        alternatives, [&](const Json& alternative) { return judge_.accepts(value, alternative); });
    if (exactly_one && matching > 1) note(Kind::wrong_value);
    if (matching > 0) return;
    const auto has_its_type = [&](const Json& alternative) {
      return judge_.accepts_by_itself(value, target(alternative));
    };
    const bool any = std::ranges::any_of(alternatives, has_its_type);
    for (const Json& alternative : alternatives) {
      if (!any || has_its_type(alternative)) visit(value, alternative);
    }
  }

  /// Follows references until there is none.
  [[nodiscard]] const Json& target(const Json& schema) const {
    const auto reference = schema.find("$ref");
    return reference == schema.end() ? schema : target(resolved_reference(*root_, *reference));
  }

  void visit_keys(const Json& table, const Json& schema) {
    if (schema.contains("required")) require_keys(table, schema.at("required"));
    if (schema.contains("dependencies")) {
      for (const auto& [key, needed] : schema.at("dependencies").items()) {
        if (table.contains(key)) require_keys(table, needed);
      }
    }
    const bool is_closed = schema.value("additionalProperties", Json(true)) == false;
    for (const auto& [key, member] : table.items()) {
      if (is_closed && schema_of_member(schema, key) == nullptr) note(Kind::unknown_key, key);
      if (schema.contains("propertyNames") && !judge_.accepts(key, schema.at("propertyNames"))) {
        note(Kind::ill_formed_name, key);
      }
    }
  }

  void require_keys(const Json& table, const Json& keys) {
    for (const Json& key : keys) {
      if (!table.contains(key.get_ref<const std::string&>())) note(Kind::missing_key, key);
    }
  }

  void visit_members(const Json& value, const Json& schema) {
    if (!value.is_structured()) return;
    for (const auto& [key, member] : value.items()) {
      const Json* member_schema = schema_of_member(schema, key);
      if (member_schema == nullptr) continue;
      path_.push_back(key);
      visit(member, *member_schema);
      path_.pop_back();
    }
  }

  void note(Kind kind, std::string name = {}) { found_.push_back({kind, path_, std::move(name)}); }

  const Json* root_;
  Judge judge_;
  JsonPath path_;
  std::vector<SchemaViolation> found_;
};

}  // namespace

std::vector<SchemaViolation> schema_violations_of(const Json& value, const Json& schema) {
  return Walk(schema).violations(value);
}

const Json& resolved_reference(const Json& root, const std::string& reference) {
  return root.at(Json::json_pointer(reference.substr(1)));
}

const Json* schema_of_member(const Json& schema, const std::string& key) {
  if (const auto properties = schema.find("properties"); properties != schema.end() && properties->contains(key)) {
    return &properties->at(key);
  }
  for (const char* keyword : {"additionalProperties", "items"}) {
    if (schema.contains(keyword) && schema.at(keyword).is_object()) return &schema.at(keyword);
  }
  return nullptr;
}

}  // namespace tomograph::schema
