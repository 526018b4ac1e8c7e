#ifndef TOMOGRAPH_HOST_TOPOLOGY_TOPOLOGY_FILE_HPP
#define TOMOGRAPH_HOST_TOPOLOGY_TOPOLOGY_FILE_HPP

#include <filesystem>
#include <string>

#include "topology/topology.hpp"

namespace tomograph::host {

/// The text of a topology file. Equal topologies give equal bytes, and numbers read back exactly.
/// The first line tells editors the path of the installed schema.
/// @throws std::invalid_argument for a value that TOML cannot hold (see value_obstacle).
[[nodiscard]] std::string to_toml(const Topology& topology);

/// The topology as a JSON object with the layout of the TOML file.
[[nodiscard]] Json to_json(const Topology& topology);

/// Reads a topology file, or an entry of the gallery ("gallery:nvidia-h200"), and checks it. @throws InputError with
/// file, line, column and key of each problem.
[[nodiscard]] Topology read_topology(const std::filesystem::path& path);

}  // namespace tomograph::host

#endif
