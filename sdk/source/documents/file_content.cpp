#include "tomograph/documents/file_content.hpp"

#include <cerrno>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <system_error>

namespace tomograph {

std::string file_content(const std::filesystem::path& path) {
  std::error_code ignored;
  const bool is_folder = std::filesystem::is_directory(path, ignored);
  std::ifstream file(path, std::ios::binary);
  if (is_folder || !file) {
    throw std::runtime_error("cannot be read: " + std::generic_category().message(is_folder ? EISDIR : errno));
  }
  std::ostringstream content;
  content << file.rdbuf();
  return std::move(content).str();
}

}  // namespace tomograph
