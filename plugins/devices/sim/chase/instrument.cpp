#include "sim/chase/instrument.hpp"

#include <stdexcept>

namespace tomograph::sim {

std::vector<Answer> Chase::execute(std::span<const Experiment> batch) {
  Execution execution(*hierarchy_, options_);  // goes with the batch, since a large chase takes a gigabyte
  return answer_each(batch, [&](const Experiment& experiment) {
    const chase::Program program = chase::decode(experiment);
    if (const auto why = chase::violation(program)) throw std::invalid_argument(*why);
    return chase::encode(execution.run(program));
  });
}

}  // namespace tomograph::sim
