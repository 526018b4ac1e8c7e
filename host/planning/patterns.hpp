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

/// What is known of a name that is the key of no fact: a device reports it, it names a part or a probe. Nothing if none
/// of these. `keys` are all facts.
[[nodiscard]] std::optional<std::string> what_it_is(const std::string& name, std::span<const std::string> keys,
                                                    std::span<const PluginDescription> plugins);

/// The name in lower case, as all names are.
[[nodiscard]] std::string in_lower_case(std::string name);

/// An error message for a pattern that matches no probe and no fact, with the nearest one that would. Nothing if it
/// matches.
[[nodiscard]] std::optional<std::string> unmatched(const std::string& pattern,
                                                   std::span<const PluginDescription> plugins);

}  // namespace tomograph::host

#endif
