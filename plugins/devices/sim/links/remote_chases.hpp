#ifndef TOMOGRAPH_SIM_LINKS_REMOTE_CHASES_HPP
#define TOMOGRAPH_SIM_LINKS_REMOTE_CHASES_HPP

#include "sim/gpu/description.hpp"
#include "sim/options.hpp"
#include "tomograph/instrument.hpp"
#include "tomograph/remote_chase.hpp"

namespace tomograph::sim {

/// Answers remote chases: every access takes the latency of its link, whatever the footprint.
class RemoteChases : public Instrument {
 public:
  /// `gpu` must outlive the object.
  RemoteChases(const Gpu& gpu, const Options& options) : gpu_(&gpu), options_(options) {}

  [[nodiscard]] std::string_view id() const override { return TOMOGRAPH_REMOTE_CHASE_ID; }
  [[nodiscard]] std::vector<Answer> execute(std::span<const Experiment> batch) override;

 private:
  [[nodiscard]] remote_chase::Result run(const remote_chase::Program& program, std::uint64_t seed) const;

  const Gpu* gpu_;
  Options options_;
};

}  // namespace tomograph::sim

#endif
