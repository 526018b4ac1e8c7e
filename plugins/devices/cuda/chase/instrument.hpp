#ifndef TOMOGRAPH_CUDA_CHASE_INSTRUMENT_HPP
#define TOMOGRAPH_CUDA_CHASE_INSTRUMENT_HPP

#include "cuda/chase/executor.hpp"
#include "cuda/chase/overhead.hpp"
#include "cuda/neighbours/neighbour_monitor.hpp"
#include "tomograph/instrument.hpp"
#include "tomograph/session.hpp"

namespace tomograph::cuda {

/// Answers tomograph.chase/1.
class Chase : public Instrument {
 public:
  /// Measures the overhead of timing on `device`. `arena` and `monitor` outlive this.
  Chase(const Session& session, int device, Arena& arena, NeighbourMonitor& monitor);

  /// Cycles that timing adds to a single load on `path`.
  [[nodiscard]] double overhead_of(chase::Path path) const { return overhead_.paths.at(path).each; }

  [[nodiscard]] std::string_view id() const override { return TOMOGRAPH_CHASE_ID; }
  [[nodiscard]] std::vector<Answer> execute(std::span<const Experiment> batch) override;

 private:
  Executor executor_;
  Overhead overhead_;
  NeighbourMonitor* monitor_;
};

}  // namespace tomograph::cuda

#endif
