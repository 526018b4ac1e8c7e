#include "commands/run_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <thread>

#include "commands/device_name.hpp"
#include "commands/repeatable.hpp"

namespace tomograph::host {
namespace {

namespace fs = std::filesystem;

/// Collects arguments; options that are empty are left out.
class Arguments {
 public:
  explicit Arguments(std::vector<std::string> first) : all_(std::move(first)) {}

  void add(const char* option, const std::string& value) {
    if (!value.empty()) all_.insert(all_.end(), {option, value});
  }
  void add_file(const char* option, const fs::path& file) {
    if (!file.empty()) add(option, output_of_one(file).string());
  }
  template <typename Value>
  void add_each(const char* option, const std::vector<Value>& values) {
    for (const Value& value : values) add(option, fs::path(value).string());
  }
  void add_flag(const char* option, bool is_set) {
    if (is_set) all_.emplace_back(option);
  }
  [[nodiscard]] std::vector<std::string> take() { return std::move(all_); }

 private:
  std::vector<std::string> all_;
};

}  // namespace

std::size_t probes_at_once() { return std::clamp(std::thread::hardware_concurrency(), 1U, 4U); }

void add_run_options(CLI::App& command, RunOptions& options) {
  command.add_option("--device", options.device,
                     "Device and target, e.g. cuda:0, sim:h200, replay:run.rec; of several GPUs at the same time "
                     "cuda:all or a list, e.g. cuda:0,2");
  make_repeatable(command.add_option(
      "--device-parameter", options.device_parameters,
      "Parameter of the device, e.g. noise_scale=3 (repeatable; see list); of one device of a list, as in "
      "sim:h200?seed=2"));
  add_setup_options(command, options.setup);
  add_selection_options(command, options.selection);
  command
      .add_option("--output", options.output,
                  "Topology file to write; {uuid} in its name stands for the GPU's UUID and is added for several GPUs")
      ->capture_default_str();
  command.add_option("--evidence", options.evidence, "Evidence file to write; default: beside the topology");
  command.add_option("--record", options.record, "Record all experiments in this file");
  make_repeatable(command.add_option(
      "--require", options.require, "Pattern of facts without which the run ends with 1, e.g. 'l2.size' (repeatable)"));
  command
      .add_option("--jobs", options.jobs,
                  "Probes at the same time: while the device measures for one, the host works for others; default: one "
                  "for each processor, at most 4")
      ->check(CLI::Range(1, 64));
  command.add_flag("--resume", options.resume, "Complete the topology in --output: run only what is missing");
  command.add_flag("--json", options.json, "Write the topology as JSON to standard output too");
  command.add_flag("--verbose,-v", options.verbose, "Log informational messages, list all probes");
}

fs::path output_of_one(const fs::path& file) {
  const bool is_device = fs::is_character_file(file) || file == standard_output;
  return is_device ? file : with_placeholder(file);
}

std::vector<std::string> arguments_for_one(const RunOptions& options, const std::string& device) {
  Arguments arguments({"run", "--device", device});
  arguments.add("--config", options.setup.config.string());
  arguments.add_each("--plugin-dir", options.setup.plugin_dirs);
  arguments.add_each("--allow-plugin-dir", options.setup.allowed_dirs);
  arguments.add_each("--only", options.selection.only);
  arguments.add_each("--given", options.selection.given);
  arguments.add("--method", options.selection.method);
  arguments.add_each("--device-parameter", options.device_parameters);
  arguments.add_file("--output", options.output);
  arguments.add_file("--evidence", options.evidence);
  arguments.add_file("--record", options.record);
  arguments.add_each("--require", options.require);
  arguments.add("--jobs", std::to_string(options.jobs));
  arguments.add_flag("--resume", options.resume);
  arguments.add_flag("--verbose", options.verbose);
  return arguments.take();
}

}  // namespace tomograph::host
