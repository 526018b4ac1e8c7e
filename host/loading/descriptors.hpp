#ifndef TOMOGRAPH_HOST_LOADING_DESCRIPTORS_HPP
#define TOMOGRAPH_HOST_LOADING_DESCRIPTORS_HPP

#include <string>
#include <vector>

#include "loading/description.hpp"
#include "tomograph/abi/plugin.h"

namespace tomograph::host {

/// Groups of the rules in abi/plugin.h.
enum class Rule { sizes, strings, identifiers, questions, facts, parameters, times, functions };

/// A rule that a descriptor breaks.
struct Violation {
  Rule rule = Rule::sizes;
  std::string text;  ///< names the descriptor and the mistake
};

/// A description of a plugin and every rule that it breaks.
struct Examination {
  PluginDescription plugin;  ///< valid only if there are no violations
  std::vector<Violation> violations;
};

/// Copies the static data of a plugin and checks every rule of abi/plugin.h. Calls no function of the plugin. Path and
/// hash stay empty.
[[nodiscard]] Examination examine(const tomograph_plugin& entry);

/// Describes a plugin that must keep all rules.
/// @throws std::runtime_error with the first violation.
[[nodiscard]] PluginDescription describe(const tomograph_plugin& entry);

}  // namespace tomograph::host

#endif
