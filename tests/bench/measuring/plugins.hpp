#ifndef TOMOGRAPH_BENCH_MEASURING_PLUGINS_HPP
#define TOMOGRAPH_BENCH_MEASURING_PLUGINS_HPP

#include <set>
#include <span>
#include <string>
#include <vector>

#include "tomograph/abi/plugin.h"

namespace tomograph::bench {

[[nodiscard]] std::span<const tomograph_need* const> needs(const tomograph_probe& probe);
[[nodiscard]] std::span<const tomograph_fact_spec* const> provides(const tomograph_probe& probe);

/// Names of all plugins of the tree that have probes.
[[nodiscard]] std::vector<std::string> probe_plugins();

/// All probes of the plugins of these names, which stay loaded. Probes of the published method `method` replace those
/// that provide the same facts; probes of other methods are left out.
/// @throws std::runtime_error if a plugin cannot be loaded.
[[nodiscard]] std::vector<const tomograph_probe*> load_probes(std::span<const std::string> plugins,
                                                              const std::string& method = {});

/// The probes that provide a key of `wanted`, and those that provide their needs, optional ones included, except keys
/// in `known`. In a stable order; each probe comes after the providers of its needs.
/// @throws std::logic_error if the needs form a cycle.
[[nodiscard]] std::vector<const tomograph_probe*> select_and_order(std::span<const tomograph_probe* const> probes,
                                                                   const std::set<std::string>& wanted,
                                                                   const std::set<std::string>& known);

}  // namespace tomograph::bench

#endif
