#include "commands/new.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "loading/catalogue.hpp"
#include "loading/description_cache.hpp"
#include "loading/names.hpp"
#include "process/worker_process.hpp"
#include "tomograph/documents/file_content.hpp"
#include "tomograph/documents/input_error.hpp"
#include "topology/merge.hpp"
#include "version.hpp"

namespace tomograph::host {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t longest_name = 64;  // file names with suffixes must fit into 255 bytes
/// Names of targets that CMake reserves.
constexpr std::array<std::string_view, 6> cmake_targets{"all", "clean", "help", "install", "package", "test"};

struct NewOptions {
  std::string name;
  bool cuda = false;
  bool model = false;
  bool device = false;
  bool exporter = false;
};

/// The beginning of the plugin's fact keys, which have no '-'.
std::string key_of(std::string name) {
  std::ranges::replace(name, '-', '_');
  return name;
}

/// The name of the plugin's device or exporter, which has no '.'.
std::string device_of(std::string name) {
  std::ranges::replace(name, '.', '-');
  return name;
}

/// The folders with the files of such a plugin.
std::vector<const char*> parts_of(const NewOptions& options) {
  if (options.model) return {"model"};
  if (options.device) return {"device"};
  if (options.exporter) return {"exporter"};
  return {"common", options.cuda ? "cuda" : "chase"};
}

bool is_well_formed(const std::string& name) {
  bool begins_word = true;
  for (const char c : name) {
    if (begins_word && (c < 'a' || c > 'z')) return false;
    begins_word = c == '.';
  }
  return is_plugin_id(name) && name.size() <= longest_name;
}

/// Why no plugin can have this name, or nothing.
std::optional<std::string> obstacle(const std::string& name) {
  if (!is_well_formed(name)) {
    return fmt::format(
        "expected at most {} lower-case letters, digits and '-', or several such words joined by '.', each beginning "
        "with a letter, as in 'hello' or 'com.example.hello'",
        longest_name);
  }
  if (std::ranges::find(cmake_targets, name) != cmake_targets.end()) return "CMake uses this name itself";
  if (name == "tomograph" || name.starts_with("tomograph.")) return "this name is reserved for Tomograph";
  if (const auto reason = key_obstacle(key_of(name))) return "fact keys cannot begin with it: " + *reason;
  return std::nullopt;
}

void require_free(const std::string& name) {
  if (fs::exists(fs::symlink_status(name))) {
    throw InputError(Problem{.file = name, .message = "it is there already; nothing was written"});
  }
  for (const auto& plugin :
       catalogue(plugin_files(installed_plugin_folders()), {this_program(), default_cache_folder()}).plugins) {
    if (plugin.id != name) continue;
    throw InputError("a plugin '" + name + "' is installed already (" + plugin.path.string() +
                     "), the two could not be loaded together");
  }
}

/// All files of the new plugin by name.
std::map<std::string, std::string> files_of(const NewOptions& options) {
  const fs::path templates = this_program().parent_path() / data_from_executable / "template";
  std::map<std::string, std::string> files;
  for (const char* part : parts_of(options)) {
    for (const fs::directory_entry& entry : fs::directory_iterator(templates / part)) {
      files[entry.path().filename()] = file_content(entry);
    }
  }
  return files;
}

std::string filled_in(std::string text, const std::map<std::string, std::string>& values) {
  for (const auto& [placeholder, value] : values) {
    for (std::size_t at = 0; (at = text.find(placeholder, at)) != std::string::npos; at += value.size()) {
      text.replace(at, placeholder.size(), value);
    }
  }
  return text;
}

/// Writes all files. If that fails, removes them again.
void write(const fs::path& folder, const std::map<std::string, std::string>& files) {
  std::error_code error;
  if (!fs::create_directory(folder, error)) {
    throw InputError(Problem{.file = folder.string(), .message = "the folder cannot be made: " + error.message()});
  }
  for (const auto& [name, text] : files) {
    std::ofstream stream(folder / name, std::ios::binary);
    stream << text;
    stream.close();
    if (stream) continue;
    fs::remove_all(folder, error);
    throw InputError(Problem{.file = (folder / name).string(), .message = "it cannot be written; nothing was left"});
  }
}

/// How to install this program if it lies where it was built: there, CMake finds no SDK. Otherwise empty.
std::string installing() {
  const fs::path build = this_program().parent_path().parent_path();
  if (!fs::exists(build / "CMakeCache.txt")) return {};
  return fmt::format(
      "(once, for the SDK: cmake --install {} --prefix ~/tomograph; export PATH=~/tomograph/bin:$PATH)\n",
      build.string());
}

void print_next_steps(const NewOptions& options) {
  const std::string& name = options.name;
  fmt::print(
      "Created {0}/, a working plugin to start from. Next:\n"
      "{1}"
      "  cmake -S {0} -B {0}/build\n"
      "  cmake --build {0}/build\n"
      "  tomograph validate {0}/build/{0}.so\n",
      name, installing());
  if (options.exporter) {
    fmt::print("  tomograph export {} topology.toml --plugin-dir {}/build\n", device_of(name), name);
    return;
  }
  const std::string device = options.device ? device_of(name) + ":tiny" : options.cuda ? "cuda:0" : "sim:h200";
  fmt::print("  tomograph run --plugin-dir {0}/build --only '{1}' --device {2}\n", name,
             options.device ? "l1_data.size" : name + "/*", device);
}

int create(const NewOptions& options) {
  const std::string& name = options.name;
  if (const auto reason = obstacle(name)) {
    throw InputError("'" + name + "' cannot be the name of a plugin: " + *reason);
  }
  require_free(name);
  const std::string version = tool_version;
  const std::map<std::string, std::string> values{{"@PLUGIN@", name},
                                                  {"@KEY@", key_of(name)},
                                                  {"@DEVICE@", device_of(name)},
                                                  {"@VERSION@", version.substr(0, version.rfind('.'))}};
  auto files = files_of(options);
  for (auto& [file, text] : files) text = filled_in(text, values);
  write(name, files);
  print_next_steps(options);
  return 0;
}

}  // namespace

void add_new_command(CLI::App& app, std::function<int()>& selected) {
  auto* command = app.add_subcommand("new", "Create a folder with a working plugin to start from");
  const auto options = std::make_shared<NewOptions>();
  command
      ->add_option("NAME", options->name,
                   "Id of the plugin; third parties use a reverse domain, as in com.example.hello")
      ->required();
  const std::array kinds{
      command->add_flag("--cuda", options->cuda,
                        "Start from a plugin with its own CUDA kernel instead of the standard experiment"),
      command->add_flag("--model", options->model, "Start from a plugin that computes a fact from others"),
      command->add_flag("--device", options->device, "Start from a plugin with a device instead of a probe"),
      command->add_flag("--exporter", options->exporter, "Start from a plugin with an exporter instead of a probe")};
  for (auto* kind : kinds) {
    for (auto* other : kinds) {
      if (other != kind) kind->excludes(other);
    }
  }
  command->callback([options, &selected] { selected = [options] { return create(*options); }; });
}

}  // namespace tomograph::host
