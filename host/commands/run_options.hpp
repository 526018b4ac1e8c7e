#ifndef TOMOGRAPH_HOST_COMMANDS_RUN_OPTIONS_HPP
#define TOMOGRAPH_HOST_COMMANDS_RUN_OPTIONS_HPP

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "commands/setup.hpp"

namespace tomograph::host {

/// As the output of a run: the topology and nothing else goes to standard output.
inline constexpr const char* standard_output = "/dev/stdout";

/// How many probes run at the same time unless the user says: one for each processor, up to four. A real device serves
/// one after the other, so that more would only wait, and begin again if one of them crashes.
[[nodiscard]] std::size_t probes_at_once();

/// The options of `tomograph run`.
struct RunOptions {
  SetupOptions setup;
  SelectionOptions selection;
  std::string device;  ///< empty: that of the configuration, or else the first GPU; may be a list
  std::vector<std::string> device_parameters;
  std::filesystem::path output = "topology.toml";
  std::filesystem::path evidence;
  std::filesystem::path record;
  std::vector<std::string> require;
  std::size_t jobs = probes_at_once();
  bool resume = false;
  bool json = false;
  bool verbose = false;
};
void add_run_options(CLI::App& command, RunOptions& options);

/// An output of one run of several: named after its GPU, unless it is a device such as /dev/null.
[[nodiscard]] std::filesystem::path output_of_one(const std::filesystem::path& file);

/// The arguments with which this program measures one device of a list. Each file is named after its GPU.
[[nodiscard]] std::vector<std::string> arguments_for_one(const RunOptions& options, const std::string& device);

}  // namespace tomograph::host

#endif
