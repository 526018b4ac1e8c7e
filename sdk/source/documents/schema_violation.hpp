#ifndef TOMOGRAPH_DOCUMENTS_SCHEMA_VIOLATION_HPP
#define TOMOGRAPH_DOCUMENTS_SCHEMA_VIOLATION_HPP

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tomograph::schema {

using Json = nlohmann::json;

/// Keys and indices that lead from the root of a document to one of its values.
using JsonPath = std::vector<std::string>;

/// One rule of a schema that a document breaks.
struct SchemaViolation {
  enum class Kind {
    unknown_key,      ///< the table at `path` must not have the key `name`
    missing_key,      ///< the table at `path` lacks the key `name`
    ill_formed_name,  ///< the table at `path` has a key `name` of the wrong form
    wrong_value       ///< the value at `path` has the wrong type, range or length
  };
  Kind kind = Kind::wrong_value;
  JsonPath path;
  std::string name = {};
};

/// Every rule of a JSON Schema (draft 7) that `value` breaks. Where a value matches none of several alternatives, the
/// violations of each alternative of its type are listed. Empty if and only if the value is valid.
[[nodiscard]] std::vector<SchemaViolation> schema_violations_of(const Json& value, const Json& schema);

/// What the reference "#/..." in `root` stands for.
[[nodiscard]] const Json& resolved_reference(const Json& root, const std::string& reference);

/// The schema that `schema` holds for the member or element `key` of a table or array, or null.
[[nodiscard]] const Json* schema_of_member(const Json& schema, const std::string& key);

}  // namespace tomograph::schema

#endif
