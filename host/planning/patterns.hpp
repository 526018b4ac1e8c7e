#ifndef TOMOGRAPH_HOST_PLANNING_PATTERNS_HPP
#define TOMOGRAPH_HOST_PLANNING_PATTERNS_HPP

#include <optional>
#include <span>
#include <string>

#include "loading/description.hpp"

namespace tomograph::host {

/// Whether a name fits a glob with '*', '?' and '[...]'; '*' also matches '/' and '.'.
[[nodiscard]] bool matches(const std::string& pattern, const std::string& name);

/// The first pattern that fits the probe's id or a fact that it provides.
[[nodiscard]] std::optional<std::string> matching_pattern(std::span<const std::string> patterns,
                                                          const ProbeDescription& probe);

/// Why a pattern is of no use: it fits no probe and no fact. Names the nearest that would. Nothing if it fits.
[[nodiscard]] std::optional<std::string> unmatched(const std::string& pattern,
                                                   std::span<const PluginDescription> plugins);

}  // namespace tomograph::host

#endif
