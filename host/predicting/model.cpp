#include "predicting/model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "tomograph/documents/input_error.hpp"
#include "tomograph/documents/nearest_name.hpp"

namespace tomograph::host {
namespace {

std::vector<ChosenModel> kernel_models(const Catalogue& catalogue) {
  std::vector<ChosenModel> models;
  for (const PluginDescription& plugin : catalogue.plugins) {
    for (const ProbeDescription& probe : plugin.probes) {
      if (probe.predicts_kernels()) models.push_back({&plugin, &probe});
    }
  }
  return models;
}

std::vector<std::string> names_of(const std::vector<ChosenModel>& models) {
  std::vector<std::string> names;
  for (const ChosenModel& chosen : models) names.push_back(chosen.model->id);
  return names;
}

/// The probe that provides a fact, or an empty text.
std::string provider_of(const std::string& key, const Catalogue& catalogue) {
  for (const PluginDescription& plugin : catalogue.plugins) {
    for (const ProbeDescription& probe : plugin.probes) {
      if (!probe.method.empty()) continue;
      if (std::ranges::find(probe.provides, key, &FactDeclaration::key) != probe.provides.end()) return probe.id;
    }
  }
  return {};
}

Problem lacking(const std::string& key, const ChosenModel& chosen, const Catalogue& catalogue,
                const std::string& file) {
  const std::string provider = provider_of(key, catalogue);
  const std::string cure =
      provider.empty() ? "no probe measures it, devices report it" : fmt::format("tomograph run --only {}", provider);
  return {.file = file, .key = key, .message = fmt::format("model {} needs this fact; {}", chosen.model->id, cure)};
}

}  // namespace

ChosenModel find_kernel_model(const Catalogue& catalogue, const std::string& id) {
  const std::vector<ChosenModel> models = kernel_models(catalogue);
  const std::vector<std::string> names = names_of(models);
  if (models.empty()) throw InputError("no plugin has a model that predicts kernels");
  if (id.empty() && models.size() == 1) return models.front();
  if (id.empty()) throw InputError(fmt::format("choose one with --model: there are {}", fmt::join(names, ", ")));
  const auto found = std::ranges::find(names, id);
  if (found != names.end()) return models[static_cast<std::size_t>(found - names.begin())];
  const std::string nearest = suggestion(id, names);
  throw InputError(fmt::format("there is no model '{}'{}", id,
                               nearest.empty() ? fmt::format("; there are {}", fmt::join(names, ", ")) : nearest));
}

KnownNeeds known_needs(const ChosenModel& chosen, const Topology& topology, const Catalogue& catalogue,
                       const std::string& file) {
  KnownNeeds needs;
  std::vector<Problem> problems;
  for (const NeedDeclaration& need : chosen.model->needs) {
    const auto outcome = topology.outcomes.find(need.key);
    if (const auto known = topology.facts.find(need.key); known != topology.facts.end()) {
      needs.facts.insert(*known);
    } else if (!need.optional) {
      problems.push_back(lacking(need.key, chosen, catalogue, file));
    } else if (outcome != topology.outcomes.end() && is_absent_on_device(outcome->second)) {
      needs.absent.emplace(need.key, outcome->second.reason);
    }
  }
  if (!problems.empty()) throw InputError(std::move(problems));
  return needs;
}

}  // namespace tomograph::host
