#include "documents/schema.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "embedded_schemas.hpp"
#include "tomograph/documents/schema.hpp"
#include "version.hpp"

namespace tomograph::host {

std::filesystem::path schema_file(std::string_view name) {
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe");
  return (program.parent_path() / data_from_executable / "schemas" / fmt::format("{}.schema.json", name))
      .lexically_normal();
}

std::vector<Problem> named_schema_violations(const TomlDocument& document, std::string_view name) {
  const auto found = embedded_schemas().find(name);
  if (found == embedded_schemas().end()) throw std::invalid_argument(fmt::format("there is no schema \"{}\"", name));
  return schema_violations(document, found->second);
}

}  // namespace tomograph::host
