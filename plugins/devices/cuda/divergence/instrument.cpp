#include "cuda/divergence/instrument.hpp"

#include <stdexcept>

#include "cuda/divergence/kernels.hpp"

namespace tomograph::cuda {

CountedKernel ThreadDivergence::accept(const divergence::Program& program) {
  if (const auto why = divergence::violation(program)) throw std::invalid_argument(*why);
  const Residency residency{1, program.warps};
  if (const auto why = impossibility(residency, runner_.limits())) throw Refused(TOMOGRAPH_UNSUPPORTED, *why);
  const bool long_body = program.body == instruction::Body::long_body;
  std::optional<std::int64_t>& fixed = fixed_shared_[long_body ? 1 : 0];
  if (!fixed) {
    std::int64_t bytes = 0;
    check(allow_divergence_shared(long_body, runner_.limits().shared_per_block, bytes), "loading a kernel");
    fixed = bytes;
  }
  const auto width = static_cast<std::uint32_t>(program.width);
  const auto passes = static_cast<std::uint32_t>(program.passes);
  return {{residency, program.repetitions, *fixed,
           [=](const Launch& shape) { return launch_divergence(long_body, width, passes, shape); }},
          std::int64_t{branch_length(long_body)} * program.passes};
}

std::vector<Answer> ThreadDivergence::execute(std::span<const Experiment> batch) {
  return answer_with_runs(runner_, batch,
                          [this](const Experiment& experiment) { return accept(divergence::decode(experiment)); });
}

}  // namespace tomograph::cuda
