#ifndef TOMOGRAPH_HOST_CONFORMANCE_STATIC_DATA_HPP
#define TOMOGRAPH_HOST_CONFORMANCE_STATIC_DATA_HPP

#include <optional>
#include <string>

#include "tomograph/abi/plugin.h"

namespace tomograph::host {

/// The first descriptor, array or string of the plugin that does not lie whole in the library's own memory, where
/// all of them must be (abi/plugin.h), or nothing. The descriptors must have no other fault.
[[nodiscard]] std::optional<std::string> outside_library(const tomograph_plugin& entry);

}  // namespace tomograph::host

#endif
