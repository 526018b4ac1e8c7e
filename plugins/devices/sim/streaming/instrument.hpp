#ifndef TOMOGRAPH_SIM_STREAMING_INSTRUMENT_HPP
#define TOMOGRAPH_SIM_STREAMING_INSTRUMENT_HPP

#include "sim/gpu/description.hpp"
#include "sim/options.hpp"
#include "tomograph/instrument.hpp"
#include "tomograph/streaming.hpp"

namespace tomograph::sim {

/// Answers streaming programs, in closed form. The first level that holds the footprint serves each pass. The rate is
/// the minimum of the rates of that level, of all levels before it, of the SMs' issue, and of what Little's law allows
/// for the bytes in flight. Writes do not wait.
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
