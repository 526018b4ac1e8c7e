#ifndef TOMOGRAPH_SCHEMAS_EMBEDDED_SCHEMAS_HPP
#define TOMOGRAPH_SCHEMAS_EMBEDDED_SCHEMAS_HPP

#include <map>
#include <string_view>

namespace tomograph {

/// Text of each schema of this folder by name, e.g. "topology" for topology.schema.json.
[[nodiscard]] const std::map<std::string_view, std::string_view>& embedded_schemas();

}  // namespace tomograph

#endif
