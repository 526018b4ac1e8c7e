#ifndef TOMOGRAPH_HOST_COMMANDS_RUN_ENDING_HPP
#define TOMOGRAPH_HOST_COMMANDS_RUN_ENDING_HPP

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "loading/description.hpp"
#include "topology/topology.hpp"

/// What `run` says at its end, and what its exit code depends on.
namespace tomograph::host {

/// Checks the patterns of `--require` before anything is measured. @throws InputError with the nearest name for a
/// pattern that matches no fact of a plugin or of `given` and cannot be a fact of a device.
void check_required(std::span<const std::string> patterns, std::span<const PluginDescription> plugins,
                    const Topology& given);

/// The facts that match a pattern and were not measured, each with its reason. A pattern that matches no question of
/// the run is listed itself.
[[nodiscard]] std::vector<std::string> missing_facts(const Topology& topology, std::span<const std::string> patterns);

/// Every probe that failed, crashed or timed out, with its reason; of many the first, and how many more there are.
[[nodiscard]] std::vector<std::string> failed_probes(const Topology& topology);

/// Commands worth typing after this topology was written to `file`, each with what it does.
[[nodiscard]] std::vector<std::string> next_commands(const Topology& topology, const std::filesystem::path& file);

}  // namespace tomograph::host

#endif
