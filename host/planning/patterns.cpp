#include "planning/patterns.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <set>
#include <vector>

#include "tomograph/documents/nearest_name.hpp"

namespace tomograph::host {
namespace {

/// Patterns for suggestions: all names, and each beginning of a name followed by ".*" or "/*".
std::vector<std::string> meaningful_patterns(std::span<const PluginDescription> plugins) {
  std::set<std::string> patterns;
  const auto add = [&](const std::string& name) {
    patterns.insert(name);
    for (std::size_t i = name.find_first_of("./"); i != std::string::npos; i = name.find_first_of("./", i + 1)) {
      patterns.insert(name.substr(0, i + 1) + "*");
    }
  };
  for (const PluginDescription& plugin : plugins) {
    for (const ProbeDescription& probe : plugin.probes) {
      add(probe.id);
      for (const FactDeclaration& fact : probe.provides) add(fact.key);
    }
  }
  return {patterns.begin(), patterns.end()};
}

bool matches_any(const std::string& pattern, std::span<const PluginDescription> plugins) {
  const std::vector<std::string> only{pattern};
  return std::ranges::any_of(plugins, [&](const PluginDescription& plugin) {
    return std::ranges::any_of(
        plugin.probes, [&](const ProbeDescription& probe) { return matching_pattern(only, probe).has_value(); });
  });
}

}  // namespace

bool matches(const std::string& pattern, const std::string& name) {
  return ::fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
}

std::optional<std::string> matching_pattern(std::span<const std::string> patterns, const ProbeDescription& probe) {
  for (const std::string& pattern : patterns) {
    if (matches(pattern, probe.id)) return pattern;
    const auto fits = [&](const FactDeclaration& fact) { return matches(pattern, fact.key); };
    if (std::ranges::any_of(probe.provides, fits)) return pattern;
  }
  return std::nullopt;
}

std::optional<std::string> unmatched(const std::string& pattern, std::span<const PluginDescription> plugins) {
  if (pattern == "*" || matches_any(pattern, plugins)) return std::nullopt;
  return "pattern '" + pattern + "' matches no probe and no fact" + suggestion(pattern, meaningful_patterns(plugins));
}

}  // namespace tomograph::host
