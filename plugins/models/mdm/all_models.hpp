#ifndef TOMOGRAPH_MDM_ALL_MODELS_HPP
#define TOMOGRAPH_MDM_ALL_MODELS_HPP

#include <string>
#include <utility>
#include <vector>

#include "published.hpp"
#include "saturation.hpp"
#include "tomograph/fact.hpp"

namespace tomograph::mdm {

/// What a model says of a whole kernel.
struct ModelTime {
  const char* model = "";
  double cycles = 0;
  double ipc = 0;  ///< warp instructions per cycle of the GPU
};

/// The published models in the order of the letter, then saturation, whose prediction is given.
[[nodiscard]] std::vector<ModelTime> times_by_model(const Machine& machine, const kernel::Profile& profile,
                                                    Scheduler scheduler, const SaturationPrediction& saturation);

/// The prediction's cycles by cause, with the name of each.
[[nodiscard]] std::vector<std::pair<std::string, double>> stack_of(const SaturationPrediction& prediction);

/// A fact of the saturation model, with the confidence of its validation.
[[nodiscard]] Fact derived(const char* key, Value value);

}  // namespace tomograph::mdm

#endif
