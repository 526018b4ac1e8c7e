#ifndef TOMOGRAPH_HOST_PREDICTING_MODEL_HPP
#define TOMOGRAPH_HOST_PREDICTING_MODEL_HPP

#include <map>
#include <string>

#include "loading/catalogue.hpp"
#include "topology/fact_record.hpp"

namespace tomograph::host {

/// A model that predicts kernels, and its plugin. Borrows the descriptions.
struct ChosenModel {
  const PluginDescription* plugin = nullptr;
  const ProbeDescription* model = nullptr;
};

/// The model with this id or, if it is empty, the only one that predicts kernels.
/// @throws InputError with the nearest name, or with all names if there is none or more than one to choose from.
[[nodiscard]] ChosenModel find_kernel_model(const Catalogue& catalogue, const std::string& id);

/// The facts of a topology that the model needs.
/// @throws InputError with one line for each fact that it cannot do without, and the probe that measures it. `file` is
/// the topology's name for errors.
[[nodiscard]] std::map<std::string, FactRecord> needed_facts(const ChosenModel& chosen,
                                                             const std::map<std::string, FactRecord>& facts,
                                                             const Catalogue& catalogue, const std::string& file);

}  // namespace tomograph::host

#endif
