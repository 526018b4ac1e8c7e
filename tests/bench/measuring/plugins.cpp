#include "plugins.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>

namespace tomograph::bench {

namespace {

const tomograph_plugin& load(const std::string& name) {
  const std::string file = std::string(TOMOGRAPH_PLUGIN_DIR) + "/" + name + ".so";
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw std::runtime_error(dlerror());
  const void* entry = dlsym(library, TOMOGRAPH_ENTRY_SYMBOL);
  if (entry == nullptr) throw std::runtime_error(file + " is not a plugin");
  return *static_cast<const tomograph_plugin*>(entry);
}

bool provides_key(const tomograph_probe& probe, const std::string& key) {
  return std::ranges::any_of(provides(probe), [&](const auto* fact) { return fact->key == key; });
}

bool provides_one_of(const tomograph_probe& probe, const std::set<std::string>& keys) {
  return std::ranges::any_of(provides(probe), [&](const auto* fact) { return keys.contains(fact->key); });
}

/// The keys of `wanted` and all keys that they need.
std::set<std::string> with_needs(std::span<const tomograph_probe* const> probes, std::set<std::string> wanted,
                                 const std::set<std::string>& known) {
  for (std::size_t before = 0; before != wanted.size();) {
    before = wanted.size();
    for (const tomograph_probe* probe : probes) {
      if (!provides_one_of(*probe, wanted)) continue;
      for (const tomograph_need* need : needs(*probe)) {
        if (!known.contains(need->key)) wanted.insert(need->key);
      }
    }
  }
  return wanted;
}

}  // namespace

std::span<const tomograph_need* const> needs(const tomograph_probe& probe) { return {probe.needs, probe.needs_count}; }

std::span<const tomograph_fact_spec* const> provides(const tomograph_probe& probe) {
  return {probe.provides, probe.provides_count};
}

std::vector<std::string> probe_plugins() { return {TOMOGRAPH_PROBE_PLUGINS}; }

std::vector<const tomograph_probe*> load_probes(std::span<const std::string> plugins, const std::string& method) {
  std::vector<const tomograph_probe*> usual;
  std::vector<const tomograph_probe*> probes;
  std::set<std::string> replaced;
  for (const std::string& name : plugins) {
    const tomograph_plugin& plugin = load(name);
    for (const tomograph_probe* probe : std::span(plugin.probes, plugin.probe_count)) {
      if (probe->method == nullptr) usual.push_back(probe);
      if (probe->method == nullptr || probe->method != method) continue;
      probes.push_back(probe);
      for (const auto* fact : provides(*probe)) replaced.insert(fact->key);
    }
  }
  std::ranges::copy_if(usual, std::back_inserter(probes),
                       [&](const tomograph_probe* probe) { return !provides_one_of(*probe, replaced); });
  return probes;
}

std::vector<const tomograph_probe*> select_and_order(std::span<const tomograph_probe* const> probes,
                                                     const std::set<std::string>& wanted,
                                                     const std::set<std::string>& known) {
  const auto keys = with_needs(probes, wanted, known);
  std::vector<const tomograph_probe*> waiting;
  for (const tomograph_probe* probe : probes) {
    if (provides_one_of(*probe, keys)) waiting.push_back(probe);
  }
  std::vector<const tomograph_probe*> ordered;
  while (!waiting.empty()) {
    const auto ready = std::ranges::find_if(waiting, [&](const tomograph_probe* probe) {
      return std::ranges::none_of(needs(*probe), [&](const tomograph_need* need) {
        return std::ranges::any_of(waiting, [&](const auto* other) { return provides_key(*other, need->key); });
      });
    });
    if (ready == waiting.end()) throw std::logic_error("the probes' needs form a cycle");
    ordered.push_back(*ready);
    waiting.erase(ready);
  }
  return ordered;
}

}  // namespace tomograph::bench
