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
  /// Measures the overhead of timing on `device`. `monitor` outlives this.
  Chase(const Session& session, int device, NeighbourMonitor& monitor);

  /// The same as of Executor.
  void on_shortage(std::function<void()> make_room) { executor_.on_shortage(std::move(make_room)); }
  void release_memory() { executor_.release_memory(); }

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
