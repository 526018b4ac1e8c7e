#include "commands/validate.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "commands/repeatable.hpp"
#include "commands/setup.hpp"
#include "conformance/plugin_validator.hpp"
#include "documents/schema.hpp"
#include "documents/visible_text.hpp"
#include "embedded_schemas.hpp"
#include "process/worker_process.hpp"
#include "reporting/terminal.hpp"
#include "tomograph/documents/document_kind.hpp"
#include "tomograph/documents/input_error.hpp"
#include "tomograph/documents/nearest_name.hpp"
#include "tomograph/documents/toml_document.hpp"
#include "tomograph/kernel/description.hpp"

namespace tomograph::host {
namespace {

/// Kinds of TOML files, named like their schemas.
constexpr const char* topology_kind = "topology";
constexpr const char* configuration_kind = "configuration";
constexpr const char* simulated_gpu_kind = "simulated-gpu";
constexpr const char* kernel_kind = "kernel";
constexpr const char* profile_kind = "profile";
constexpr const char* fleet_kind = "fleet";
/// The kind of shared libraries.
constexpr const char* plugin_kind = "plugin";

struct ValidateOptions {
  std::vector<std::filesystem::path> files;
  std::string kind;
  std::vector<std::filesystem::path> plugin_dirs;
  std::string device = "sim:small";
  bool list_checks = false;
  bool json = false;
};

struct Verdict {
  std::filesystem::path file;
  std::string kind;  ///< empty if the file cannot be read
  std::vector<Problem> problems;
  std::vector<NamedResult> checks = {};  ///< of a plugin
};

/// Whether the file is a shared library, by its name or its first bytes.
bool is_library(const std::filesystem::path& file) {
  if (file.extension() == ".so") return true;
  std::array<char, 4> magic{};
  std::ifstream(file, std::ios::binary).read(magic.data(), magic.size());
  return std::string_view(magic.data(), magic.size()) ==
         "\x7f"
         "ELF";
}

/// How many top-level keys of a file are those of a kind, or nearly so.
std::size_t likeness(const Json& root, const std::string& kind) {
  const Json schema = Json::parse(embedded_schemas().at(kind));
  std::vector<std::string> known;
  for (const auto& [key, property] : schema.at("properties").items()) known.push_back(key);
  std::size_t alike = 0;
  for (const auto& [key, value] : root.items()) alike += nearest_name(key, known) ? 1 : 0;
  return alike;
}

/// The kind of a TOML file, or else the one that most of its keys are nearly of. Empty if there is none.
std::string kind_of(const TomlDocument& document) {
  if (const std::string_view kind = schema::kind_of(document); !kind.empty()) return std::string(kind);
  std::string likeliest;
  std::size_t most_alike = 0;
  for (const char* kind :
       {configuration_kind, simulated_gpu_kind, topology_kind, kernel_kind, profile_kind, fleet_kind}) {
    const std::size_t alike = likeness(document.value, kind);
    if (alike > most_alike) likeliest = kind;
    most_alike = std::max(alike, most_alike);
  }
  return likeliest;
}

/// Why the kind of a file cannot be told.
InputError without_kind(const TomlDocument& document, const std::filesystem::path& file) {
  return InputError(
      Problem{.file = file.string(),
              .message = document.value.empty() ? "is empty" : "kind not recognised, name it with --kind"});
}

using Folders = std::vector<std::filesystem::path>;

/// Opens and closes a device such as "sim:/tmp/my-gpu.toml". Throws InputError if it does not open.
void try_open(const std::string& device, const Folders& plugin_dirs) {
  const Setup setup = load_setup({{}, plugin_dirs});
  const ChosenDevice chosen = find_device(setup, device);
  Workers workers(this_program(), {});
  try {
    static_cast<void>(workers.open(chosen));
  } catch (const std::runtime_error& refusal) {
    throw InputError(refusal.what());
  }
  workers.dismiss();
}

/// Runs the probes of plugins on this simulated GPU.
PluginValidator plugin_validator(const std::string& device, const Folders& plugin_dirs) {
  return {this_program(), device, [plugin_dirs](const auto& library) {
            return load_setup({{}, plugin_dirs, {}, {library}}).catalogue;
          }};
}

class Validator {
 public:
  explicit Validator(const ValidateOptions& options) : options_(&options) {}

  [[nodiscard]] Verdict check(const std::filesystem::path& file) {
    Verdict verdict{.file = file, .kind = options_->kind, .problems = {}};
    const bool is_plugin = std::filesystem::is_directory(file) || (verdict.kind.empty() && is_library(file));
    if (verdict.kind == plugin_kind || is_plugin) return check_plugin(file);
    try {
      const TomlDocument document = read_toml(file);
      if (verdict.kind.empty()) verdict.kind = kind_of(document);
      if (verdict.kind.empty()) throw without_kind(document, file);
      verdict.problems = named_schema_violations(document, verdict.kind);
      if (verdict.problems.empty()) check_beyond_schema(verdict.kind, file);
    } catch (const InputError& error) {
      verdict.problems = error.problems();
    }
    return verdict;
  }

 private:
  [[nodiscard]] Verdict check_plugin(const std::filesystem::path& file) {
    if (!std::filesystem::exists(file))
      return {file, plugin_kind, {{file.string(), 0, 0, {}, "there is no such file"}}};
    if (std::filesystem::is_directory(file))
      return {file, plugin_kind, {{file.string(), 0, 0, {}, "no plugins in this folder"}}};
    if (!plugins_) plugins_.emplace(plugin_validator(options_->device, options_->plugin_dirs));
    Verdict verdict{file, plugin_kind, {}, plugins_->validate(file).results};
    for (const NamedResult& named : verdict.checks) {
      if (is_bad(named.result.status)) {
        verdict.problems.push_back({file.string(), 0, 0, std::string(named.check), named.result.explanation});
      }
    }
    return verdict;
  }

  /// Rules that no schema can express: names and ranges declared by plugins, impossible geometry of a simulated GPU,
  /// instructions of a kernel that name others.
  void check_beyond_schema(const std::string& kind, const std::filesystem::path& file) const {
    if (kind == configuration_kind) static_cast<void>(load_setup({file, options_->plugin_dirs}));
    if (kind == simulated_gpu_kind) {
      try_open("sim:" + std::filesystem::absolute(file).string(), options_->plugin_dirs);
    }
    if (kind == kernel_kind) static_cast<void>(kernel::read_description(file));
  }

  const ValidateOptions* options_;
  std::optional<PluginValidator> plugins_;
};

Json to_json(const Problem& problem) {
  return {{"file", problem.file},
          {"line", problem.line},
          {"column", problem.column},
          {"key", problem.key},
          {"message", problem.message}};
}

Json to_json(const Verdict& verdict) {
  Json problems = Json::array();
  for (const Problem& problem : verdict.problems) problems.push_back(to_json(problem));
  Json json{{"file", verdict.file.string()},
            {"kind", verdict.kind},
            {"valid", verdict.problems.empty()},
            {"problems", std::move(problems)}};
  for (const NamedResult& named : verdict.checks) {
    json["checks"].push_back({{"check", named.check},
                              {"status", to_string(named.result.status)},
                              {"explanation", named.result.explanation}});
  }
  return json;
}

/// Prints a line for each check, and the number of checks with each result.
void print_checks(const Verdict& verdict) {
  std::map<CheckStatus, int> tally;
  print_text(stdout, verdict.file.string() + "\n");
  for (const NamedResult& named : verdict.checks) {
    ++tally[named.result.status];
    const std::string why = named.result.explanation.empty() ? "" : "  " + visible(named.result.explanation);
    print_text(stdout, fmt::format("  {:<9}  {}{}\n", to_string(named.result.status), named.check, why));
  }
  std::string counts;
  for (const auto& [status, count] : tally) {
    counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", count, to_string(status));
  }
  print_text(stdout, fmt::format("{}: {}\n", verdict.problems.empty() ? "valid plugin" : "not valid", counts));
}

void print(const Verdict& verdict) {
  if (!verdict.checks.empty()) return print_checks(verdict);
  if (verdict.problems.empty()) print_text(stdout, fmt::format("{}: valid {}\n", verdict.file.string(), verdict.kind));
  for (const Problem& problem : verdict.problems) print_text(stderr, to_string(problem) + "\n");
}

int list_checks(bool json) {
  Json listed = Json::array();
  for (const CheckName& check : plugin_checks()) {
    if (json) {
      listed.push_back({{"check", check.name}, {"description", check.description}});
    } else {
      print_text(stdout, fmt::format("{:<12} {}\n", check.name, check.description));
    }
  }
  if (json) print_text(stdout, listed.dump(2) + "\n");
  return 0;
}

/// Replaces each folder by the plugins in it. A folder without any stays.
std::vector<std::filesystem::path> with_folders_opened(const std::vector<std::filesystem::path>& files) {
  std::vector<std::filesystem::path> opened;
  for (const std::filesystem::path& file : files) {
    if (std::filesystem::is_directory(file)) {
      const PluginFolder folder{file};
      const std::vector<PluginFile> plugins = plugin_files(std::span(&folder, 1));
      for (const PluginFile& plugin : plugins) opened.push_back(plugin.path);
      if (plugins.empty()) opened.push_back(file);
    } else {
      opened.push_back(file);
    }
  }
  return opened;
}

int validate(const ValidateOptions& options) {
  if (options.list_checks) return list_checks(options.json);
  if (options.files.empty()) throw InputError("validate needs the files to check");
  Validator validator(options);
  Json verdicts = Json::array();
  bool all_valid = true;
  for (const std::filesystem::path& file : with_folders_opened(options.files)) {
    const Verdict verdict = validator.check(file);
    all_valid = all_valid && verdict.problems.empty();
    if (options.json) {
      verdicts.push_back(to_json(verdict));
    } else {
      print(verdict);
    }
  }
  if (options.json) print_text(stdout, verdicts.dump(2) + "\n");
  return all_valid ? 0 : 2;
}

}  // namespace

void add_validate_command(CLI::App& app, std::function<int()>& selected) {
  const auto options = std::make_shared<ValidateOptions>();
  CLI::App* verb =
      app.add_subcommand("validate", "Check plugins, topologies, configurations and other files of Tomograph");
  verb->add_option("FILE", options->files, "Files to check; a folder stands for the plugins in it");
  verb->add_option("--kind", options->kind, "Kind of the files; by default detected from their content")
      ->check(CLI::IsMember(
          {topology_kind, configuration_kind, simulated_gpu_kind, kernel_kind, profile_kind, fleet_kind, plugin_kind}));
  make_repeatable(
      verb->add_option("--plugin-dir", options->plugin_dirs, "Folder with plugins, searched before all others"));
  verb->add_option("--device", options->device, "Simulated GPU on which the probes of plugins are run")
      ->capture_default_str();
  verb->add_flag("--list-checks", options->list_checks, "List the checks of plugins");
  verb->add_flag("--json", options->json, "Print the verdicts as JSON");
  verb->callback([options, &selected] { selected = [options] { return validate(*options); }; });
}

}  // namespace tomograph::host
