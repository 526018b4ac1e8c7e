#ifndef TOMOGRAPH_SIM_STREAMING_INSTRUMENT_HPP
#define TOMOGRAPH_SIM_STREAMING_INSTRUMENT_HPP

#include "sim/gpu/description.hpp"
#include "sim/options.hpp"
#include "tomograph/session/instrument.hpp"
#include "tomograph/experiment/streaming.hpp"

namespace tomograph::sim {

/// Answers streaming programs, in closed form. Every pass is served by the first level that holds the footprint; its
/// pace is the least of what that level delivers, what all levels before it let through, what an SM issues, and what
/// the bytes in flight allow within the level's latency (Little's law). Writes wait for nobody.
class Streaming : public Instrument {
 public:
  /// `gpu` must outlive the object.
  Streaming(const Gpu& gpu, const Options& options) : gpu_(gpu), options_(options) {}

  [[nodiscard]] std::string_view id() const override { return TOMOGRAPH_STREAMING_ID; }
  [[nodiscard]] std::vector<Answer> execute(std::span<const Experiment> batch) override;

 private:
  [[nodiscard]] streaming::Result run(streaming::Program program, std::uint64_t seed) const;

  const Gpu& gpu_;
  Options options_;
};

}  // namespace tomograph::sim

#endif
