#ifndef TOMOGRAPH_HOST_PREDICTING_SWEEP_HPP
#define TOMOGRAPH_HOST_PREDICTING_SWEEP_HPP

#include <map>
#include <string>
#include <vector>

#include "predicting/prediction_text.hpp"
#include "topology/evidence.hpp"
#include "topology/topology.hpp"

namespace tomograph::host {

/// Predictions of one kernel with different values of one fact.
struct Sweep {
  struct Row {
    std::string text;  ///< the value as the user wrote it: "2x"
    Json value;
    Prediction prediction;
  };
  std::string kernel;  ///< name of its file
  std::string key;
  std::string unit;  ///< of the fact
  std::vector<Row> rows;
};

/// The table for people: a row for each value, with the single values of the prediction.
[[nodiscard]] std::string sweep_text(const ProbeDescription& model, const Sweep& sweep, bool color);

/// {"model", "key", "sweep": [{"value", "facts"}]}.
[[nodiscard]] Json to_json(const ProbeDescription& model, const Sweep& sweep);

/// A topology with the sweep as its fact `kernel.sweep`. The fact's rows hold the value and what the model says in
/// single values; its conditions name the kernel, the fact, and the columns with their units.
[[nodiscard]] Topology with_sweep(Topology topology, const ProbeDescription& model, const Sweep& sweep);

/// All numbers of the predictions as the curve "kernel.sweep" of the model: a column for each single value, and for
/// each part of a table, such as "kernel.stack.wait_dram".
[[nodiscard]] Evidence evidence_of(const ProbeDescription& model, const Sweep& sweep);

}  // namespace tomograph::host

#endif
