#ifndef TOMOGRAPH_HOST_LOADING_DESCRIPTORS_HPP
#define TOMOGRAPH_HOST_LOADING_DESCRIPTORS_HPP

#include <string>
#include <vector>

#include "loading/description.hpp"
#include "tomograph/abi/plugin.h"

namespace tomograph::host {

/// The rules of abi/plugin.h, by what they are about.
enum class Rule { sizes, strings, identifiers, questions, facts, parameters, times, functions };

/// A rule that a descriptor breaks.
struct Violation {
  Rule rule = Rule::sizes;
  std::string text;  ///< names the descriptor and says what is wrong with it
};

/// What was read of a plugin, and every rule that it breaks, in the order of reading.
struct Examination {
  PluginDescription plugin;  ///< of use only if there are no violations
  std::vector<Violation> violations;
};

/// Copies the static data of a plugin, calling none of its functions, and checks every rule of abi/plugin.h on
/// the way. Path and hash stay empty.
[[nodiscard]] Examination examine(const tomograph_plugin& entry);

/// The same for a plugin that must be right.
/// @throws std::runtime_error with the first violation.
[[nodiscard]] PluginDescription describe(const tomograph_plugin& entry);

}  // namespace tomograph::host

#endif
