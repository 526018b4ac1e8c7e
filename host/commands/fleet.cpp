#include "commands/fleet.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "commands/exit_code.hpp"
#include "documents/writable_file.hpp"
#include "fleet/fleet_file.hpp"
#include "reporting/log.hpp"
#include "reporting/terminal.hpp"
#include "tomograph/documents/atomic_file.hpp"
#include "tomograph/documents/input_error.hpp"

namespace tomograph::host {
namespace {

constexpr int all_alike = 0;
constexpr int something_odd = 1;

struct FleetOptions {
  std::vector<std::filesystem::path> topologies;
  std::filesystem::path output = "fleet.toml";
  double false_alarm_rate = 0.05;
  bool json = false;
};

void require_other_than_topologies(const FleetOptions& options) {
  std::vector<NamedFile> topologies;
  for (const std::filesystem::path& file : options.topologies) topologies.push_back({"TOPOLOGY", file});
  require_separate({{"--output", options.output}}, topologies);
}

/// What is wrong with a text as a probability; nothing if it is one.
std::string probability_fault(const std::string& text) {
  double probability = 0;
  const char* const end = text.data() + text.size();
  const auto [parsed, error] = std::from_chars(text.data(), end, probability);
  const bool is_number = error == std::errc() && parsed == end;
  return is_number && probability > 0 && probability < 1 ? "" : "expected a probability between 0 and 1, e.g. 0.05";
}

int fleet(const FleetOptions& options) {
  require_writable(options.output);
  require_other_than_topologies(options);
  Terminal terminal(stderr);
  Log log(terminal);
  const MergedFleet merged = merge_fleet(options.topologies, options.false_alarm_rate);
  for (const RefusedFile& file : merged.refused) {
    log.write(LogLevel::error, fmt::format("{} does not count: {}", file.name, file.reason));
  }
  if (merged.fleet.gpus == 0) throw InputError("none of the files is a topology; nothing is written");
  const int written = exit_code_of([&] { write_atomically(options.output, to_toml(merged)); }, log);
  if (written != 0) return written;
  if (options.json) {
    print_text(stdout, to_json(merged).dump(2) + "\n");
  } else {
    print_text(stdout, fmt::format("{}written: {}\n", fleet_summary(merged.fleet), options.output.string()));
  }
  return merged.fleet.odd.empty() && merged.refused.empty() ? all_alike : something_odd;
}

}  // namespace

void add_fleet_command(CLI::App& app, std::function<int()>& selected) {
  const auto options = std::make_shared<FleetOptions>();
  CLI::App* verb = app.add_subcommand(
      "fleet",
      "Name the GPUs that are unlike others of their kind; ends with 0 if there are none, with 1 if there are");
  verb->add_option("TOPOLOGY", options->topologies, "Topology files, one for each GPU")->required();
  verb->add_option("-o,--output", options->output, "File to write")->capture_default_str();
  verb->add_option("--false-alarms", options->false_alarm_rate,
                   "Probability that any GPU of a sound fleet is called odd")
      ->check(probability_fault)
      ->capture_default_str();
  verb->add_flag("--json", options->json, "Print the fleet as JSON");
  verb->callback([options, &selected] { selected = [options] { return fleet(*options); }; });
}

}  // namespace tomograph::host
