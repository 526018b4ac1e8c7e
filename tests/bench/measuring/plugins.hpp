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

/// Names of all plugins of the tree that carry probes.
[[nodiscard]] std::vector<std::string> probe_plugins();

/// All probes of the plugins of these names, which stay loaded. Those that follow a published method are among them
/// only if it is `method`, and then in place of those that provide the same facts.
/// @throws std::runtime_error if one cannot be loaded.
[[nodiscard]] std::vector<const tomograph_probe*> load_probes(std::span<const std::string> plugins,
                                                              const std::string& method = {});

/// Those of `probes` that provide a key of `wanted`, and those that provide what these need, optional needs included,
/// unless it is in `known`: in a stable order in which each comes after the providers of its needs.
/// @throws std::logic_error if the needs form a cycle.
[[nodiscard]] std::vector<const tomograph_probe*> select_and_order(std::span<const tomograph_probe* const> probes,
                                                                   const std::set<std::string>& wanted,
                                                                   const std::set<std::string>& known);

}  // namespace tomograph::bench

#endif
