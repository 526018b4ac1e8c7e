#ifndef TOMOGRAPH_HOST_CONFORMANCE_STATIC_DATA_HPP
#define TOMOGRAPH_HOST_CONFORMANCE_STATIC_DATA_HPP

#include <optional>
#include <string>

#include "tomograph/abi/plugin.h"

namespace tomograph::host {

/// The first descriptor, array or string of the plugin that does not lie in the library's own memory, which
/// abi/plugin.h requires; nothing if all do. The descriptors must be valid otherwise.
[[nodiscard]] std::optional<std::string> outside_library(const tomograph_plugin& entry);

}  // namespace tomograph::host

#endif
