#include "documents/writable_file.hpp"

#include <system_error>

#include "tomograph/documents/atomic_file.hpp"
#include "tomograph/documents/input_error.hpp"

namespace tomograph::host {
namespace {

namespace fs = std::filesystem;

/// Where a path leads, through links as far as it exists.
fs::path place_of(const fs::path& path) {
  std::error_code error;
  const fs::path place = fs::weakly_canonical(fs::absolute(path), error);
  return error ? fs::absolute(path).lexically_normal() : place;
}

/// Whether the path is a file, or would become one.
bool may_be_file(const fs::path& path) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  return !path.empty() && (fs::is_regular_file(status) || !fs::exists(status));
}

}  // namespace

bool is_same_file(const fs::path& one, const fs::path& other) {
  std::error_code ignored;
  return fs::equivalent(one, other, ignored) || place_of(one) == place_of(other);
}

void require_separate(const std::vector<NamedFile>& outputs, const std::vector<NamedFile>& inputs) {
  const auto require_other = [](const NamedFile& output, const NamedFile& taken, const std::string& use) {
    if (!may_be_file(output.path) || taken.path.empty() || !is_same_file(output.path, taken.path)) return;
    throw InputError(
        Problem{.file = output.path.string(),
                .message = "is " + use + " by this command (" + taken.name + "), so it cannot be its " + output.name});
  };
  for (const NamedFile& output : outputs) {
    for (const NamedFile& input : inputs) {
      std::error_code ignored;
      if (fs::exists(input.path, ignored)) require_other(output, input, "read");
    }
    for (const NamedFile& earlier : outputs) {
      if (&earlier == &output) break;
      require_other(output, earlier, "written");
    }
  }
}

void require_writable(const std::filesystem::path& path) {
  if (const auto obstacle = writing_obstacle(path)) {
    throw InputError(Problem{.file = path.string(), .message = "cannot be written: " + *obstacle});
  }
}

}  // namespace tomograph::host
