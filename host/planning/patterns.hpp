#ifndef TOMOGRAPH_HOST_PLANNING_PATTERNS_HPP
#define TOMOGRAPH_HOST_PLANNING_PATTERNS_HPP

#include <optional>
#include <span>
#include <string>

#include "loading/description.hpp"

namespace tomograph::host {

/// Whether a name matches a glob with '*', '?' and '[...]'. '*' also matches '/' and '.'.
[[nodiscard]] bool matches(const std::string& pattern, const std::string& name);

/// The first pattern that matches the probe's id or a fact that it provides.
[[nodiscard]] std::optional<std::string> matching_pattern(std::span<const std::string> patterns,
                                                          const ProbeDescription& probe);

/// An error message for a pattern that matches no probe and no fact, with the nearest one that would. Nothing if it
/// matches.
[[nodiscard]] std::optional<std::string> unmatched(const std::string& pattern,
                                                   std::span<const PluginDescription> plugins);

}  // namespace tomograph::host

#endif
