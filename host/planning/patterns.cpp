#include "planning/patterns.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <set>
#include <vector>

#include "loading/device_facts.hpp"
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

/// Whether a probe needs this fact, which devices report when they are opened.
bool is_reported(const std::string& key, std::span<const PluginDescription> plugins) {
  if (!is_device_fact(key)) return false;
  return std::ranges::any_of(plugins, [&](const PluginDescription& plugin) {
    return std::ranges::any_of(plugin.probes, [&](const ProbeDescription& probe) {
      return std::ranges::find(probe.needs, key, &NeedDeclaration::key) != probe.needs.end();
    });
  });
}

/// "2 facts, l2.size, l2.sets"; of many only the first.
std::string facts_text(const std::vector<std::string>& keys) {
  constexpr std::size_t most = 3;
  const std::vector<std::string> first(keys.begin(), keys.begin() + std::ptrdiff_t(std::min(keys.size(), most)));
  return fmt::format("{} fact{}, {}{}", keys.size(), keys.size() == 1 ? "" : "s", keys.size() > most ? "e.g. " : "",
                     fmt::join(first, ", "));
}

std::optional<std::string> probe_text(const std::string& id, std::span<const PluginDescription> plugins) {
  for (const PluginDescription& plugin : plugins) {
    for (const ProbeDescription& probe : plugin.probes) {
      if (probe.id != id) continue;
      std::vector<std::string> keys;
      for (const FactDeclaration& fact : probe.provides) keys.push_back(fact.key);
      return "probe " + id + " measures " + facts_text(keys);
    }
  }
  return std::nullopt;
}

}  // namespace

std::string in_lower_case(std::string name) {
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name;
}

std::optional<std::string> what_it_is(const std::string& name, std::span<const std::string> keys,
                                      std::span<const PluginDescription> plugins) {
  if (is_reported(name, plugins)) return name + " is reported by the device, no probe measures it";
  if (auto text = probe_text(name, plugins)) return text;
  std::vector<std::string> below;
  for (const std::string& key : keys) {
    if (key.starts_with(name + ".")) below.push_back(key);
  }
  if (below.empty()) return std::nullopt;
  return name + " is a part with " + facts_text(below);
}

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
  if (is_reported(pattern, plugins)) return what_it_is(pattern, {}, plugins);
  const std::string name = in_lower_case(pattern);
  const std::vector<std::string> known = meaningful_patterns(plugins);
  std::string meant = suggestion(name, known);
  for (const char* rest : {"/*", ".*"}) {
    if (std::ranges::find(known, name + rest) != known.end()) meant = "; did you mean '" + name + rest + "'?";
  }
  return "pattern '" + pattern + "' matches no probe and no fact" + meant;
}

}  // namespace tomograph::host
