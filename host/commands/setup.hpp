#ifndef TOMOGRAPH_HOST_COMMANDS_SETUP_HPP
#define TOMOGRAPH_HOST_COMMANDS_SETUP_HPP

#include <filesystem>
#include <string>
#include <vector>

#include "configuration/configuration.hpp"
#include "loading/catalogue.hpp"
#include "planning/plan.hpp"
#include "reporting/log.hpp"
#include "running/workers.hpp"

namespace CLI {
class App;
}

/// Options and steps that several verbs share.
namespace tomograph::host {

struct SetupOptions {
  std::filesystem::path config;
  std::vector<std::filesystem::path> plugin_dirs;
  std::vector<std::filesystem::path> allowed_dirs = {};  ///< searched as well, and trusted whoever can write there
  std::vector<std::filesystem::path> libraries = {};     ///< single plugins; they replace those with the same file name
};
void add_setup_options(CLI::App& command, SetupOptions& options);

struct SelectionOptions {
  std::vector<std::string> only;
  std::vector<std::filesystem::path> given;
  std::string method{};
};
void add_selection_options(CLI::App& command, SelectionOptions& options);

/// The configuration and the plugins. Folders are searched in this order: command line, TOMOGRAPH_PLUGIN_PATH,
/// configuration, installation.
struct Setup {
  Configuration configuration;
  Catalogue catalogue;
};
/// @throws InputError for bad options or a configuration that does not match the plugins.
[[nodiscard]] Setup load_setup(const SetupOptions& options);

/// Logs which libraries are not used, and why.
void log_refusals(const Catalogue& catalogue, Log& log);

/// Logs the plan's warnings, and which probes cannot run although the user did not exclude them. Returns whether there
/// are such probes.
bool log_faults(const Plan& plan, Log& log);

/// What the options and the configuration ask for. `given` has the facts that are already known.
[[nodiscard]] PlanRequest plan_request(const Setup& setup, const SelectionOptions& options, const Topology& given);

/// Paths of earlier topologies: those of `--given`, then those of the configuration.
[[nodiscard]] std::vector<std::filesystem::path> given_files(const Setup& setup, const SelectionOptions& options);

/// Reads a topology whose facts probes may build upon.
/// @throws InputError if a value has another type than plugins declare: an earlier version wrote it.
[[nodiscard]] Topology read_earlier_topology(const Setup& setup, const std::filesystem::path& file);

/// Reads such topologies and merges them. The first file that has a fact wins.
[[nodiscard]] Topology read_given(const Setup& setup, const std::vector<std::filesystem::path>& files);

/// The device called `name` ("cuda:0") with its parameters. The target is empty if the name has none.
/// @throws InputError with the nearest device name if there is no such device.
[[nodiscard]] ChosenDevice find_device(const Setup& setup, const std::string& name);

/// The first target of a real device. If there is none, the simulated H200, which is logged.
[[nodiscard]] ChosenDevice default_device(const Setup& setup, Workers& workers, Log& log);

/// Overrides parameters of a device by the arguments of --device-parameter, and these by the parameters in the name of
/// the device ("sim:small?seed=2"). @throws InputError as `stated_parameters`.
void override_device_parameters(Configuration& configuration, const DeviceDescription& device,
                                const std::vector<std::string>& arguments, const std::string& name);

/// Opens the device. @throws InputError with the reason and, unless the target is a path, those that may be meant.
std::map<std::string, FactRecord> open_device(const ChosenDevice& device, Workers& workers);

}  // namespace tomograph::host

#endif
