#include "sim/chase/instrument.hpp"

#include <stdexcept>

namespace tomograph::sim {

std::vector<Answer> Chase::execute(std::span<const Experiment> batch) {
  return answer_each(batch, [this](const Experiment& experiment) {
    const chase::Program program = chase::decode(experiment);
    if (const auto why = chase::violation(program)) throw std::invalid_argument(*why);
    return chase::encode(execution_.run(program));
  });
}

}  // namespace tomograph::sim
