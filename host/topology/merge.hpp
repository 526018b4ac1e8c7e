#ifndef TOMOGRAPH_HOST_TOPOLOGY_MERGE_HPP
#define TOMOGRAPH_HOST_TOPOLOGY_MERGE_HPP

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topology/topology.hpp"

namespace tomograph::host {

/// Why `key` cannot be the key of a fact in a topology file, or nothing: it is no lower-case path, or one of its
/// parts is a name that the file uses itself ("value", "outcomes", ...).
[[nodiscard]] std::optional<std::string> key_obstacle(std::string_view key);

/// Adds a fact and marks its outcome as measured.
/// @throws std::invalid_argument if another probe has published the key (both are named), or if the key or the
/// value has an obstacle.
void add_fact(Topology& topology, const std::string& key, FactRecord record);

/// Adds the facts of an earlier topology (`--given`, `--resume`) that `topology` does not have, with their
/// outcomes.
void add_given(Topology& topology, const Topology& given);

/// Two facts that answer the same question differently.
struct Finding {
  std::string key;      ///< of the measured fact
  std::string against;  ///< of the fact that an API gave

  bool operator==(const Finding&) const = default;
};

/// Every measured `x.y` that differs from the `x.nominal_y` of an API, by key.
[[nodiscard]] std::vector<Finding> disagreements(const Topology& topology);

}  // namespace tomograph::host

#endif
