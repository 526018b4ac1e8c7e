#ifndef TOMOGRAPH_SIM_SIMULATOR_HPP
#define TOMOGRAPH_SIM_SIMULATOR_HPP

#include <memory>
#include <span>
#include <vector>

#include "sim/chase/hierarchy.hpp"
#include "sim/gpu/description.hpp"
#include "sim/options.hpp"
#include "tomograph/instrument.hpp"

namespace tomograph::sim {

/// Answers experiments as the described GPU would. An answer depends only on the description, the options and the
/// experiment, not on the rest of the batch or the number of threads.
class Simulator {
 public:
  /// @throws std::invalid_argument naming key and rule if `gpu` breaks a rule of `violation`.
  explicit Simulator(const Gpu& gpu, const Options& options = {}, unsigned threads = default_threads());

  /// One answer per experiment, in order. Experiments of an unknown kind are refused as unsupported.
  [[nodiscard]] std::vector<Answer> execute(std::span<const Experiment> batch);

  [[nodiscard]] static unsigned default_threads();

 private:
  std::unique_ptr<const Hierarchy> hierarchy_;
  std::vector<Instruments> instruments_;  ///< one set per thread
};

}  // namespace tomograph::sim

#endif
