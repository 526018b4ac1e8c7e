#ifndef TOMOGRAPH_HOST_PREDICTING_MODEL_HPP
#define TOMOGRAPH_HOST_PREDICTING_MODEL_HPP

#include <string>

#include "loading/catalogue.hpp"
#include "process/messages.hpp"
#include "topology/topology.hpp"

namespace tomograph::host {

/// A model that predicts kernels, and its plugin. Borrows the descriptions.
struct ChosenModel {
  const PluginDescription* plugin = nullptr;
  const ProbeDescription* model = nullptr;
};

/// The model with this id or, if it is empty, the only one that predicts kernels.
/// @throws InputError with the nearest name, or with all names if there is none or more than one to choose from.
[[nodiscard]] ChosenModel find_kernel_model(const Catalogue& catalogue, const std::string& id);

/// The facts of a topology that the model needs, and which of them its device lacks.
/// @throws InputError with one line for each fact that it cannot do without, and the probe that measures it. `file` is
/// the topology's name for errors.
[[nodiscard]] KnownNeeds known_needs(const ChosenModel& chosen, const Topology& topology, const Catalogue& catalogue,
                                     const std::string& file);

}  // namespace tomograph::host

#endif
