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

/// Adds a fact and sets its outcome to measured.
/// @throws std::invalid_argument if another probe has published the key (names both), or if the file cannot hold the
/// key or the value.
void add_fact(Topology& topology, const std::string& key, FactRecord record);

/// Adds the facts of an earlier topology (`--given`, `--resume`) that `topology` does not have, and their
/// outcomes.
void add_given(Topology& topology, const Topology& given);

/// A measured fact and the API fact that contradicts it.
struct Finding {
  std::string key;      ///< of the measured fact
  std::string against;  ///< of the fact that an API gave

  bool operator==(const Finding&) const = default;
};

/// Every measured fact `x.y` that differs from the API fact `x.nominal_y`, in the order of keys.
[[nodiscard]] std::vector<Finding> disagreements(const Topology& topology);

}  // namespace tomograph::host

#endif
