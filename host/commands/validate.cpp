#include "commands/validate.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <map>
#include <memory>
#include <utility>

#include "configuration/schema.hpp"
#include "configuration/toml_document.hpp"

namespace tomograph::host {
namespace {

/// Kinds by the names of their schemas.
constexpr const char* topology_kind = "topology";
constexpr const char* configuration_kind = "configuration";
constexpr const char* simulated_gpu_kind = "simulated-gpu";

struct ValidateOptions {
  std::vector<std::filesystem::path> files;
  std::string kind;
  std::vector<std::filesystem::path> plugin_dirs;
  bool json = false;
};

struct Verdict {
  std::filesystem::path file;
  std::string kind;  ///< empty if the file cannot be read
  std::vector<Problem> problems;
};

/// By the "#:schema" line, else by the keys at the top.
std::string kind_of(const TomlDocument& document) {
  for (const char* kind : {topology_kind, configuration_kind, simulated_gpu_kind}) {
    if (document.schema.ends_with(std::string(kind) + ".schema.json")) return kind;
  }
  const Json& root = document.value;
  if (root.contains("schema_version") && root.contains("provenance")) return topology_kind;
  for (const char* key :
       {"extends", "device", "plugin_dirs", "given", "include", "exclude", "max_probe_seconds", "probes", "devices"}) {
    if (root.contains(key) && !root.at(key).is_object()) return configuration_kind;
  }
  if (root.empty() || root.contains("probes") || root.contains("devices")) return configuration_kind;
  return simulated_gpu_kind;
}

class Validator {
 public:
  Validator(const ValidateOptions& options, const ValidateServices& services)
      : options_(&options), services_(&services) {}

  [[nodiscard]] Verdict check(const std::filesystem::path& file) const {
    Verdict verdict{.file = file, .kind = options_->kind, .problems = {}};
    try {
      const TomlDocument document = read_toml(file);
      if (verdict.kind.empty()) verdict.kind = kind_of(document);
      verdict.problems = schema_violations(document, verdict.kind);
      if (verdict.problems.empty()) check_beyond_schema(verdict.kind, file);
    } catch (const InputError& error) {
      verdict.problems = error.problems();
    }
    return verdict;
  }

 private:
  /// What a schema cannot say: names and ranges that come from plugins, geometry that cannot exist.
  void check_beyond_schema(const std::string& kind, const std::filesystem::path& file) const {
    if (kind == configuration_kind && services_->check_configuration) {
      services_->check_configuration(file, options_->plugin_dirs);
    }
    if (kind == simulated_gpu_kind && services_->try_open) {
      services_->try_open("sim:" + std::filesystem::absolute(file).string(), options_->plugin_dirs);
    }
  }

  const ValidateOptions* options_;
  const ValidateServices* services_;
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
  return {{"file", verdict.file.string()},
          {"kind", verdict.kind},
          {"valid", verdict.problems.empty()},
          {"problems", std::move(problems)}};
}

void print(const Verdict& verdict) {
  if (verdict.problems.empty()) fmt::print("{}: valid {}\n", verdict.file.string(), verdict.kind);
  for (const Problem& problem : verdict.problems) fmt::print(stderr, "{}\n", to_string(problem));
}

int validate(const ValidateOptions& options, const ValidateServices& services) {
  const Validator validator(options, services);
  Json verdicts = Json::array();
  bool all_valid = true;
  for (const std::filesystem::path& file : options.files) {
    const Verdict verdict = validator.check(file);
    all_valid = all_valid && verdict.problems.empty();
    if (options.json) {
      verdicts.push_back(to_json(verdict));
    } else {
      print(verdict);
    }
  }
  if (options.json) fmt::print("{}\n", verdicts.dump(2));
  return all_valid ? 0 : 2;
}

}  // namespace

void add_validate_command(CLI::App& app, std::function<int()>& selected, ValidateServices services) {
  const auto options = std::make_shared<ValidateOptions>();
  CLI::App* verb = app.add_subcommand("validate", "Checks topology, configuration and simulated-GPU files");
  verb->add_option("FILE", options->files, "Files to check")->required();
  verb->add_option("--kind", options->kind, "What the files are; by default told from their content")
      ->check(CLI::IsMember({topology_kind, configuration_kind, simulated_gpu_kind}));
  verb->add_option("--plugin-dir", options->plugin_dirs, "Folder with plugins, searched before all others")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  verb->add_flag("--json", options->json, "Print the verdicts as JSON");
  verb->callback([options, &selected, services = std::move(services)] {
    selected = [options, services] { return validate(*options, services); };
  });
}

}  // namespace tomograph::host
