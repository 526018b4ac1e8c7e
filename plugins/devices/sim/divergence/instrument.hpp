#ifndef TOMOGRAPH_SIM_DIVERGENCE_INSTRUMENT_HPP
#define TOMOGRAPH_SIM_DIVERGENCE_INSTRUMENT_HPP

#include "sim/gpu/description.hpp"
#include "sim/options.hpp"
#include "tomograph/divergence.hpp"
#include "tomograph/instrument.hpp"

namespace tomograph::sim {

/// Answers experiments on thread divergence. All threads of a group execute every branch that one of them follows, one
/// branch after the other (Lemeire, Cornelis, Segers 2016, section V-D). A group is the unit of scheduling, a warp on
/// most GPUs.
class ThreadDivergence : public Instrument {
 public:
  /// `gpu` must outlive the object.
  ThreadDivergence(const Gpu& gpu, const Options& options) : gpu_(&gpu), options_(options) {}

  [[nodiscard]] std::string_view id() const override { return TOMOGRAPH_DIVERGENCE_ID; }
  [[nodiscard]] std::vector<Answer> execute(std::span<const Experiment> batch) override;

 private:
  [[nodiscard]] SmRuns run(const divergence::Program& program, const Experiment& experiment) const;

  const Gpu* gpu_;
  Options options_;
};

}  // namespace tomograph::sim

#endif
