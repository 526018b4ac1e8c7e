#include "loading/catalogue.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <variant>

#include "loading/description_cache.hpp"
#include "loading/file_hash.hpp"
#include "loading/library.hpp"
#include "loading/trust.hpp"
#include "reporting/input_error.hpp"
#include "running/worker_process.hpp"
#include "tomograph/abi/version.h"
#include "version.hpp"

namespace tomograph::host {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> libraries_in(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".so" && !entry.is_directory()) files.push_back(entry.path());
  }
  if (error)
    throw InputError(Problem{folder.string(), 0, 0, {}, "the plugin folder cannot be read: " + error.message()});
  std::ranges::sort(files);
  return files;
}

/// What the worker said about the library at `path`.
PluginDescription described_by_worker(const fs::path& path, const DescribeSettings& settings) {
  WorkerProcess worker(settings.program);
  const auto deadline = Channel::Clock::now() + std::chrono::duration_cast<Channel::Clock::duration>(
                                                    std::chrono::duration<double>(settings.time_limit));
  if (!worker.channel().send({{"do", "describe"}, {"plugin", path.string()}})) {
    throw std::runtime_error("the process that was to describe it " + worker.ending());
  }
  const Channel::Reception answer = worker.channel().receive(deadline);
  switch (answer.status) {
    case Channel::Status::message: break;
    case Channel::Status::timed_out:
      throw std::runtime_error("loading it took longer than " + std::to_string(static_cast<int>(settings.time_limit)) +
                               " s");
    case Channel::Status::garbage: throw std::runtime_error("loading it sent the host " + answer.reason);
    default: throw std::runtime_error("loading it crashed: the process " + worker.ending());
  }
  if (answer.message.at("status") != TOMOGRAPH_OK) throw std::runtime_error(answer.message.at("error"));
  return description_from_json(answer.message.at("plugin"));
}

PluginDescription description_of(const fs::path& path, const DescribeSettings& settings) {
  for (const fs::path& suspect : {path, path.parent_path()}) {
    if (const auto reason = distrust(suspect)) throw std::runtime_error(*reason);
  }
  if (const auto reason = not_loadable(path)) throw std::runtime_error(*reason);
  const std::string sha256 = sha256_of_file(path);
  const DescriptionCache cache(settings.cache);
  auto plugin = cache.find(sha256);
  if (!plugin) {
    plugin = described_by_worker(path, settings);
    plugin->sha256 = sha256;
    cache.keep(*plugin);
  }
  plugin->path = path;
  return *plugin;
}

using Described = std::variant<PluginDescription, Refusal>;

std::vector<Described> describe_all(std::span<const fs::path> files, const DescribeSettings& settings) {
  std::vector<Described> results(files.size());
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < files.size(); i = next++) {
      try {
        results[i] = description_of(files[i], settings);
      } catch (const std::exception& error) {
        results[i] = Refusal{files[i], error.what()};
      }
    }
  };
  std::vector<std::jthread> threads;
  const std::size_t most = std::max(4u, std::thread::hardware_concurrency());
  while (threads.size() < std::min(most, files.size())) threads.emplace_back(work);
  threads.clear();
  return results;
}

void claim(std::map<std::string, fs::path>& owners, const std::string& what, const std::string& id,
           const PluginDescription& plugin) {
  const auto [owner, is_new] = owners.emplace(id, plugin.path);
  if (!is_new) {
    throw InputError("the " + what + " " + id + " is in two plugins: " + owner->second.string() + " and " +
                     plugin.path.string() + "; remove one of them");
  }
}

void require_unique(const std::vector<PluginDescription>& plugins) {
  std::map<std::string, fs::path> plugin_owners;
  std::map<std::string, fs::path> probe_owners;
  std::map<std::string, fs::path> device_owners;
  std::map<std::string, fs::path> executor_owners;
  for (const PluginDescription& plugin : plugins) {
    claim(plugin_owners, "plugin id", plugin.id, plugin);
    for (const ProbeDescription& probe : plugin.probes) claim(probe_owners, "probe", probe.id, plugin);
    for (const DeviceDescription& device : plugin.devices) claim(device_owners, "device", device.id, plugin);
    for (const ExecutorDescription& executor : plugin.executors) {
      claim(executor_owners, "executor of", executor.experiment + " on " + executor.device, plugin);
    }
  }
}

}  // namespace

std::vector<fs::path> environment_plugin_dirs() {
  std::vector<fs::path> folders;
  const char* variable = std::getenv("TOMOGRAPH_PLUGIN_PATH");
  std::istringstream list(variable == nullptr ? "" : variable);
  for (std::string folder; std::getline(list, folder, ':');) {
    if (folder.starts_with('/')) folders.emplace_back(folder);
  }
  return folders;
}

fs::path installed_plugin_dir() { return (this_program().parent_path() / plugins_from_executable).lexically_normal(); }

std::vector<fs::path> plugin_files(std::span<const fs::path> folders) {
  std::vector<fs::path> files;
  std::set<fs::path> names;
  for (const fs::path& folder : folders) {
    std::error_code error;
    const fs::path canonical = fs::canonical(folder, error);
    if (error || !fs::is_directory(canonical)) {
      throw InputError(Problem{folder.string(), 0, 0, {}, "there is no such plugin folder"});
    }
    if (const auto reason = distrust(canonical)) throw InputError("refused plugin folder: " + *reason);
    for (const fs::path& file : libraries_in(canonical)) {
      if (!names.insert(file.filename()).second) continue;
      const fs::path target = fs::canonical(file, error);
      files.push_back(error ? file : target);
    }
  }
  return files;
}

Catalogue catalogue(std::span<const fs::path> files, const DescribeSettings& settings) {
  Catalogue result;
  std::set<std::string> hashes;
  for (Described& described : describe_all(files, settings)) {
    if (auto* refusal = std::get_if<Refusal>(&described)) {
      result.refused.push_back(std::move(*refusal));
      continue;
    }
    auto& plugin = std::get<PluginDescription>(described);
    if (hashes.insert(plugin.sha256).second) result.plugins.push_back(std::move(plugin));
  }
  require_unique(result.plugins);
  std::ranges::sort(result.plugins, {}, &PluginDescription::id);
  return result;
}

}  // namespace tomograph::host
