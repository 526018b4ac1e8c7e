#ifndef TOMOGRAPH_SIM_SIMULATION_SIMULATOR_HPP
#define TOMOGRAPH_SIM_SIMULATION_SIMULATOR_HPP

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sim/gpu/description.hpp"
#include "sim/simulation/execution.hpp"
#include "tomograph/experiment.hpp"

namespace tomograph::sim {

/// Answers batches of experiments as the described GPU would. An answer depends on the description, the
/// options and the experiment alone: not on the batch around it, nor on the number of threads.
class Simulator {
 public:
  /// @throws std::invalid_argument naming key and rule if `gpu` breaks a rule of `violation`.
  explicit Simulator(const Gpu& gpu, const Options& options = {}, unsigned threads = default_threads());

  /// One answer per experiment, in order; what is not a chase is refused as unsupported.
  [[nodiscard]] std::vector<Answer> execute(std::span<const Experiment> batch);

  [[nodiscard]] static unsigned default_threads();

 private:
  std::unique_ptr<const Hierarchy> hierarchy_;
  std::vector<Execution> executions_;  ///< one per thread
};

}  // namespace tomograph::sim

#endif
