#include "documents/writable_file.hpp"

#include "tomograph/documents/atomic_file.hpp"
#include "tomograph/documents/input_error.hpp"

namespace tomograph::host {

void require_writable(const std::filesystem::path& path) {
  if (const auto obstacle = writing_obstacle(path)) {
    throw InputError(Problem{.file = path.string(), .message = "cannot be written: " + *obstacle});
  }
}

}  // namespace tomograph::host
