#ifndef TOMOGRAPH_HOST_TOPOLOGY_TOPOLOGY_FILE_HPP
#define TOMOGRAPH_HOST_TOPOLOGY_TOPOLOGY_FILE_HPP

#include <filesystem>
#include <string>

#include "topology/topology.hpp"

namespace tomograph::host {

/// The text of a topology file. Equal topologies give equal bytes; floating-point numbers read back exactly.
/// The first line names the schema for editors: its path where this program is installed.
/// @throws std::invalid_argument for a value that TOML cannot hold (see value_obstacle).
[[nodiscard]] std::string to_toml(const Topology& topology);

/// The topology as one JSON object of the same layout as the TOML file.
[[nodiscard]] Json to_json(const Topology& topology);

/// Reads and checks a topology file. @throws InputError that names file, line, column and key of each problem.
[[nodiscard]] Topology read_topology(const std::filesystem::path& path);

}  // namespace tomograph::host

#endif
