#include "tomograph/documents/file_content.hpp"

#include <cerrno>
#include <fstream>
#include <stdexcept>
#include <system_error>
#include <vector>

namespace tomograph {

std::string file_content(const std::filesystem::path& path) {
  std::error_code ignored;
  const bool is_folder = std::filesystem::is_directory(path, ignored);
  std::ifstream file(path, std::ios::binary);
  if (is_folder || !file) {
    throw std::runtime_error("cannot be read: " + std::generic_category().message(is_folder ? EISDIR : errno));
  }
  std::string content;
  if (const auto size = std::filesystem::file_size(path, ignored); !ignored) content.reserve(size);
  std::vector<char> part(std::size_t{64} << 10);
  while (file.read(part.data(), std::ssize(part)), file.gcount() > 0) {
    content.append(part.data(), static_cast<std::size_t>(file.gcount()));
  }
  return content;
}

}  // namespace tomograph
