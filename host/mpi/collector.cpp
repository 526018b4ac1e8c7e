#include "mpi/collector.hpp"

#include <fmt/format.h>

#include "commands/device_name.hpp"
#include "documents/writable_file.hpp"
#include "tomograph/documents/atomic_file.hpp"

namespace tomograph::host {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

std::string uuid_in(const std::string& text) {
  const std::size_t table = text.find("\n[device.uuid]\nvalue = \"");
  if (table == std::string::npos) return {};
  const std::size_t begin = text.find('"', table) + 1;
  return text.substr(begin, text.find('"', begin) - begin);
}

}  // namespace

Folder::Folder(const fs::path& pattern) : pattern_(with_placeholder(pattern)) {}

fs::path Folder::file(const std::string& gpu) const { return named_after(pattern_, gpu); }

void Folder::require_writable() const { host::require_writable(file("GPU")); }

std::set<std::string> Folder::gpus() const {
  const std::string name = pattern_.filename().string();
  const std::size_t at = name.find(uuid_placeholder);
  const std::string begin = name.substr(0, at);
  const std::string end = name.substr(at + uuid_placeholder.size());
  std::set<std::string> found;
  const fs::path folder = pattern_.has_parent_path() ? pattern_.parent_path() : ".";
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string file = entry.path().filename().string();
    if (file.size() <= begin.size() + end.size() || !file.starts_with(begin) || !file.ends_with(end)) continue;
    found.insert(file.substr(begin.size(), file.size() - begin.size() - end.size()));
  }
  return found;
}

void Collector::take(const Json& message) {
  const std::string kind = message.at("kind");
  if (kind == "begun") expected_ += message.at("gpus").get<std::size_t>();
  if (kind == "ended") ++ended_;
  if (kind == "topology") keep(message);
  if (kind == "failure") report(message);
}

void Collector::keep(const Json& message) {
  const std::string text = message.at("text");
  const std::string device = message.at("device");
  const std::string uuid = uuid_in(text);
  const fs::path file = folder_->file(uuid.empty() ? as_file_part(device) : uuid);
  try {
    write_atomically(file, text);
  } catch (const FileError& failure) {
    ++failures_;
    return terminal_.line(std::string("tomograph-fleet: ") + failure.what());
  }
  terminal_.line(fmt::format("tomograph-fleet: [{}/{}] {} on {}: {}", ++arrived_, expected_, device,
                             message.at("node").get<std::string>(), file.string()));
}

void Collector::report(const Json& message) {
  ++failures_;
  terminal_.line(fmt::format("tomograph-fleet: rank {} on {}: {} was not measured: {}", message.at("rank").get<int>(),
                             message.at("node").get<std::string>(), message.at("device").get<std::string>(),
                             message.at("reason").get<std::string>()));
}

}  // namespace tomograph::host
