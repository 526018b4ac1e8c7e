#include "commands/device_name.hpp"

#include <cctype>
#include <sstream>

namespace tomograph::host {
namespace {

std::vector<std::string> parts_of(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator); parts.push_back(part)) {
  }
  return parts;
}

}  // namespace

DeviceName parsed_device_name(const std::string& name) {
  DeviceName parsed;
  const std::size_t colon = name.find(':');
  parsed.id = name.substr(0, colon);
  if (colon == std::string::npos) return parsed;
  const std::size_t question = name.rfind('?');
  const bool has_parameters = question != std::string::npos && name.find('=', question) != std::string::npos;
  parsed.target = name.substr(colon + 1, has_parameters ? question - colon - 1 : std::string::npos);
  if (has_parameters) parsed.parameters = parts_of(name.substr(question + 1), '&');
  return parsed;
}

bool is_path(const std::string& target) { return target.find_first_of("/.") != std::string::npos; }

std::filesystem::path file_of_device(const std::string& name) {
  const std::string target = parsed_device_name(name).target;
  std::error_code ignored;
  if (!is_path(target) || !std::filesystem::is_regular_file(target, ignored)) return {};
  return target;
}

std::vector<std::string> listed_devices(const std::string& list) {
  std::error_code error;
  if (std::filesystem::exists(parsed_device_name(list).target, error)) return {list};
  std::vector<std::string> devices;
  for (const std::string& part : parts_of(list, ',')) {
    const bool names_device = devices.empty() || part.find(':') != std::string::npos;
    devices.push_back(names_device ? part : parsed_device_name(devices.back()).id + ":" + part);
  }
  return devices;
}

std::string as_file_part(const std::string& device) {
  std::string part;
  for (const char c : device) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      part += c;
    } else if (!part.empty() && part.back() != '-') {
      part += '-';
    }
  }
  return part;
}

bool has_placeholder(const std::filesystem::path& file) {
  return file.filename().string().find(uuid_placeholder) != std::string::npos;
}

std::filesystem::path with_placeholder(const std::filesystem::path& file) {
  if (has_placeholder(file)) return file;
  const std::string name = file.stem().string() + "." + std::string(uuid_placeholder) + file.extension().string();
  return file.parent_path() / name;
}

std::filesystem::path named_after(const std::filesystem::path& file, const std::string& gpu) {
  std::string name = file.filename().string();
  const std::size_t at = name.find(uuid_placeholder);
  if (at == std::string::npos) return file;
  return file.parent_path() / name.replace(at, uuid_placeholder.size(), gpu);
}

}  // namespace tomograph::host
