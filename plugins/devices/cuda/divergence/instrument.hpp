#ifndef TOMOGRAPH_CUDA_DIVERGENCE_INSTRUMENT_HPP
#define TOMOGRAPH_CUDA_DIVERGENCE_INSTRUMENT_HPP

#include <array>
#include <optional>

#include "cuda/occupancy/answers.hpp"
#include "tomograph/divergence.hpp"
#include "tomograph/instrument.hpp"

namespace tomograph::cuda {

/// Answers tomograph.divergence/1.
class ThreadDivergence : public Instrument {
 public:
  explicit ThreadDivergence(int device) : runner_(device) {}

  [[nodiscard]] std::string_view id() const override { return TOMOGRAPH_DIVERGENCE_ID; }
  [[nodiscard]] std::vector<Answer> execute(std::span<const Experiment> batch) override;

 private:
  [[nodiscard]] CountedKernel accept(const divergence::Program& program);

  SmRunner runner_;
  std::array<std::optional<std::int64_t>, 2>
      fixed_shared_;  ///< static shared memory of the short and the long kernel, once prepared
};

}  // namespace tomograph::cuda

#endif
