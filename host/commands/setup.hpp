#ifndef TOMOGRAPH_HOST_COMMANDS_SETUP_HPP
#define TOMOGRAPH_HOST_COMMANDS_SETUP_HPP

#include <filesystem>
#include <optional>
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

/// What verbs that deal with plugins have in common.
namespace tomograph::host {

struct SetupOptions {
  std::filesystem::path config;
  std::vector<std::filesystem::path> plugin_dirs;
  std::vector<std::filesystem::path> allowed_dirs = {};  ///< the same, and trusted whoever can write there
  std::vector<std::filesystem::path> libraries = {};     ///< single plugins; they replace those with the same file name
};
void add_setup_options(CLI::App& command, SetupOptions& options);

struct SelectionOptions {
  std::vector<std::string> only;
  std::vector<std::filesystem::path> given;
  std::string method{};
};
void add_selection_options(CLI::App& command, SelectionOptions& options);

/// The configuration, and the plugins of all folders: those of the command line, of TOMOGRAPH_PLUGIN_PATH, of the
/// configuration and of the installation, in this order.
struct Setup {
  Configuration configuration;
  Catalogue catalogue;
};
/// @throws InputError, among others for a configuration that does not fit the plugins.
[[nodiscard]] Setup load_setup(const SetupOptions& options);

/// Says in the log which libraries are not used, and why.
void log_refusals(const Catalogue& catalogue, Log& log);

/// Says in the log which probes the plan leaves out through no wish of the user. Returns whether there are any.
bool log_faults(const Plan& plan, Log& log);

/// What the options and the configuration ask for; `given` holds what is known beforehand.
[[nodiscard]] PlanRequest plan_request(const Setup& setup, const SelectionOptions& options, const Topology& given);

/// The topologies to start from: those of `--given`, then those of the configuration.
[[nodiscard]] std::vector<std::filesystem::path> given_files(const Setup& setup, const SelectionOptions& options);

/// The facts and outcomes of all the files; the first that has a fact wins.
[[nodiscard]] Topology read_given(const std::vector<std::filesystem::path>& files);

/// The device called `name` ("cuda:0"), with its parameters. A name without target gets an empty target.
/// @throws InputError naming the nearest right device.
[[nodiscard]] ChosenDevice find_device(const Setup& setup, const std::string& name);

/// The first target of a real device, or else the simulated GPU that stands in, which the log then says.
[[nodiscard]] ChosenDevice default_device(const Setup& setup, Workers& workers, Log& log);

/// Opens the device. @throws InputError saying why it cannot be opened and which of its targets may be meant.
std::map<std::string, FactRecord> open_device(const ChosenDevice& device, Workers& workers);

}  // namespace tomograph::host

#endif
