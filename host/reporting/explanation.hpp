#ifndef TOMOGRAPH_HOST_REPORTING_EXPLANATION_HPP
#define TOMOGRAPH_HOST_REPORTING_EXPLANATION_HPP

#include <cstddef>
#include <span>
#include <string>

#include "loading/description.hpp"
#include "topology/evidence.hpp"
#include "topology/topology.hpp"

namespace tomograph::host {

/// How an explanation looks.
struct ExplanationStyle {
  bool color = false;
  bool draws = false;  ///< draws the curve in Unicode; else lists its numbers
  std::size_t width = 80;
};

/// What a fact of `topology`, or an open question for one, means and how it is known: value, question, method, curve,
/// confidence, what disagrees and what depends on it. Where it is missing, why. On one screen; ends with a newline.
/// `key` is in the topology or provided by a plugin. `evidence` is null if there is no evidence file.
[[nodiscard]] std::string explained(const std::string& key, const Topology& topology, const Evidence* evidence,
                                    std::span<const PluginDescription> plugins, const ExplanationStyle& style);

/// The same without a topology: what the plugins say of the fact, and what measuring it needs.
[[nodiscard]] std::string explained(const std::string& key, std::span<const PluginDescription> plugins,
                                    const ExplanationStyle& style);

}  // namespace tomograph::host

#endif
