#ifndef TOMOGRAPH_HOST_LOADING_DESCRIPTORS_HPP
#define TOMOGRAPH_HOST_LOADING_DESCRIPTORS_HPP

#include "loading/description.hpp"
#include "tomograph/abi/plugin.h"

namespace tomograph::host {

/// Copies the static data of a plugin, calling none of its functions, and checks every rule of abi/plugin.h on
/// the way. Path and hash stay empty.
/// @throws std::runtime_error naming the descriptor and the rule that it breaks.
[[nodiscard]] PluginDescription describe(const tomograph_plugin& entry);

}  // namespace tomograph::host

#endif
