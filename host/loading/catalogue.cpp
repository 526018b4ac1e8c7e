#include "loading/catalogue.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <variant>

#include "loading/description_cache.hpp"
#include "loading/file_hash.hpp"
#include "loading/library.hpp"
#include "loading/trust.hpp"
#include "process/messages.hpp"
#include "process/worker_process.hpp"
#include "tomograph/abi/version.h"
#include "tomograph/documents/input_error.hpp"
#include "version.hpp"

namespace tomograph::host {
namespace {

namespace fs = std::filesystem;

InputError unreadable(const fs::path& folder, const std::error_code& error) {
  return InputError(Problem{folder.string(), 0, 0, {}, "the plugin folder cannot be read: " + error.message()});
}

/// The folder without links on its way. @throws InputError
fs::path canonical_folder(const fs::path& folder) {
  std::error_code error;
  fs::path canonical = fs::canonical(folder, error);
  const bool is_folder = !error && fs::is_directory(canonical, error);
  if (error && error != std::errc::no_such_file_or_directory) throw unreadable(folder, error);
  if (!is_folder) throw InputError(Problem{folder.string(), 0, 0, {}, "there is no such plugin folder"});
  return canonical;
}

std::vector<fs::path> libraries_in(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".so" && !entry.is_directory()) files.push_back(entry.path());
  }
  if (error) throw unreadable(folder, error);
  std::ranges::sort(files);
  return files;
}

/// @throws InputError
void require_trust(const fs::path& folder) {
  auto reason = distrust(folder);
  if (!reason) reason = distrust_way_to(folder, this_program());
  if (reason) throw InputError("refused plugin folder: " + *reason + "; --allow-plugin-dir makes an exception");
}

/// Lets a worker describe the library at `path`. @throws std::runtime_error
PluginDescription described_by(WorkerProcess& worker, const fs::path& path, const DescribeSettings& settings) {
  const WorkerProcess::TimeLimit limit(worker, settings.time_limit);
  if (!worker.send(to_json(Request(DescribeRequest{path.string()})))) {
    throw std::runtime_error("the process that should describe it " + worker.ending());
  }
  const Channel::Received answer = worker.receive(limit);
  switch (answer.status) {
    case Channel::Status::message: break;
    case Channel::Status::timed_out:
      throw std::runtime_error("loading it took longer than " + std::to_string(static_cast<int>(settings.time_limit)) +
                               " s");
    case Channel::Status::garbage: throw std::runtime_error("loading it sent the host " + answer.reason);
    default: throw std::runtime_error("loading it crashed: the process " + worker.ending());
  }
  const WorkerMessage message = worker_message_from_json(answer.message);
  if (!std::holds_alternative<CallResult>(message)) throw std::runtime_error("loading it sent the host no answer");
  const auto& result = std::get<CallResult>(message);
  if (result.status != TOMOGRAPH_OK) throw std::runtime_error(result.error);
  return description_from_json(result.description);
}

/// Describes several libraries in one process, which is a few times cheaper than a process for each. A failure may be
/// the fault of an earlier library, so a library that fails is tried again in a new process.
class Describer {
 public:
  explicit Describer(const DescribeSettings& settings) : settings_(&settings) {}

  PluginDescription describe(const fs::path& path) {
    if (worker_) {
      try {
        return described_by(*worker_, path, *settings_);
      } catch (const std::exception&) {
        worker_.reset();
      }
    }
    worker_ = std::make_unique<WorkerProcess>(settings_->program);
    try {
      return described_by(*worker_, path, *settings_);
    } catch (const std::exception&) {
      worker_.reset();
      throw;
    }
  }

 private:
  const DescribeSettings* settings_;
  std::unique_ptr<WorkerProcess> worker_;
};

PluginDescription description_of(const PluginFile& file, const DescribeSettings& settings, Describer& describer) {
  const fs::path& path = file.path;
  for (const fs::path& suspect : {path, path.parent_path()}) {
    if (file.is_exempt) break;
    if (const auto reason = distrust(suspect)) throw std::runtime_error(*reason);
  }
  if (const auto reason = not_loadable(path)) throw std::runtime_error(*reason);
  const std::string sha256 = sha256_of_file(path);
  const DescriptionCache cache(settings.cache);
  auto plugin = cache.find(sha256);
  if (!plugin) {
    plugin = describer.describe(path);
    plugin->sha256 = sha256;
    cache.keep(*plugin);
  }
  plugin->path = path;
  return *plugin;
}

using Described = std::variant<PluginDescription, Refusal>;

std::vector<Described> describe_all(std::span<const PluginFile> files, const DescribeSettings& settings) {
  std::vector<Described> results(files.size());
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    Describer describer(settings);
    for (std::size_t i = next++; i < files.size(); i = next++) {
      try {
        results[i] = description_of(files[i], settings, describer);
      } catch (const std::exception& error) {
        results[i] = Refusal{files[i].path, error.what()};
      }
    }
  };
  // Starting more than four processes takes longer than it saves.
  const std::size_t most = std::clamp(std::thread::hardware_concurrency(), 2u, 4u);
  std::vector<std::jthread> threads;
  while (threads.size() < std::min(most, files.size())) threads.emplace_back(work);
  threads.clear();
  return results;
}

/// The plugins that own each name.
class Names {
 public:
  /// Reserves the names of the plugin. If another plugin has one of them, returns which.
  std::optional<std::string> claim(const PluginDescription& plugin) {
    const auto names = names_of(plugin);
    for (const std::string& name : names) {
      if (const auto owner = owners_.find(name); owner != owners_.end()) {
        return "the " + name + " is also in " + owner->second.string() + ", which comes first; remove one of them";
      }
    }
    for (const std::string& name : names) owners_.emplace(name, plugin.path);
    return std::nullopt;
  }

 private:
  static std::vector<std::string> names_of(const PluginDescription& plugin) {
    std::vector<std::string> names{"plugin id " + plugin.id};
    for (const ProbeDescription& probe : plugin.probes) names.push_back("probe " + probe.id);
    for (const DeviceDescription& device : plugin.devices) names.push_back("device " + device.id);
    for (const ExporterDescription& exporter : plugin.exporters) names.push_back("exporter " + exporter.id);
    for (const ExecutorDescription& executor : plugin.executors) {
      names.push_back("executor of " + executor.experiment + " on " + executor.device);
    }
    return names;
  }

  std::map<std::string, fs::path> owners_;
};

}  // namespace

std::vector<fs::path> environment_plugin_dirs() {
  std::vector<fs::path> folders;
  const char* variable = ::secure_getenv("TOMOGRAPH_PLUGIN_PATH");
  std::istringstream list(variable == nullptr ? "" : variable);
  for (std::string folder; std::getline(list, folder, ':');) {
    if (folder.starts_with('/')) folders.emplace_back(folder);
  }
  return folders;
}

fs::path installed_plugin_dir() { return (this_program().parent_path() / plugins_from_executable).lexically_normal(); }

std::vector<PluginFolder> installed_plugin_folders() {
  std::error_code error;
  if (fs::status(installed_plugin_dir(), error).type() == fs::file_type::not_found) return {};
  return {{installed_plugin_dir()}};
}

std::vector<PluginFile> plugin_files(std::span<const PluginFolder> folders) {
  std::vector<PluginFile> files;
  std::set<fs::path> names;
  for (const PluginFolder& folder : folders) {
    const fs::path canonical = canonical_folder(folder.path);
    if (!folder.is_exempt) require_trust(canonical);
    for (const fs::path& file : libraries_in(canonical)) {
      if (!names.insert(file.filename()).second) continue;
      std::error_code error;
      const fs::path target = fs::canonical(file, error);
      files.push_back({error ? file : target, folder.is_exempt});
    }
  }
  return files;
}

Catalogue catalogue(std::span<const PluginFile> files, const DescribeSettings& settings) {
  std::vector<PluginFile> by_rank(files.begin(), files.end());
  std::stable_partition(by_rank.begin(), by_rank.end(), [&](const PluginFile& file) {
    return !settings.installation.empty() && file.path.parent_path() == settings.installation;
  });
  Catalogue result;
  std::set<std::string> hashes;
  Names names;
  for (Described& described : describe_all(by_rank, settings)) {
    if (auto* refusal = std::get_if<Refusal>(&described)) {
      result.refused.push_back(std::move(*refusal));
      continue;
    }
    auto& plugin = std::get<PluginDescription>(described);
    if (!hashes.insert(plugin.sha256).second) continue;
    if (const auto conflict = names.claim(plugin)) {
      result.refused.push_back({plugin.path, *conflict});
    } else {
      result.plugins.push_back(std::move(plugin));
    }
  }
  std::ranges::sort(result.plugins, {}, &PluginDescription::id);
  return result;
}

}  // namespace tomograph::host
