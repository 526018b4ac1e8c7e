#include "cuda/instruction/instrument.hpp"

#include <stdexcept>

#include "tomograph/cuda/device.hpp"

namespace tomograph::cuda {

namespace {

InstructionKernel kernel_of(const instruction::Program& program) {
  return {static_cast<int>(program.type), static_cast<int>(program.ilp), program.body == instruction::Body::long_body};
}

}  // namespace

InstructionThroughput::InstructionThroughput(int device) : runner_(device) {
  const std::int64_t major = attribute(cudaDevAttrComputeCapabilityMajor, device);
  const std::int64_t minor = attribute(cudaDevAttrComputeCapabilityMinor, device);
  has_half_precision_ = 10 * major + minor >= 53;
}

CountedKernel InstructionThroughput::accept(const instruction::Program& program) {
  if (const auto why = instruction::violation(program)) throw std::invalid_argument(*why);
  if (program.type == instruction::Type::fp16x2_fma && !has_half_precision_) {
    throw Refused(TOMOGRAPH_UNSUPPORTED, "the GPU has no half-precision arithmetic");
  }
  const Residency residency{program.ctas, program.warps};
  if (const auto why = impossibility(residency, runner_.limits())) throw Refused(TOMOGRAPH_UNSUPPORTED, *why);
  if (program.type == instruction::Type::constant_load && !has_constants_) {
    check(fill_constants(), "filling constant memory");
    has_constants_ = true;
  }
  const InstructionKernel kernel = kernel_of(program);
  const auto passes = static_cast<std::uint32_t>(program.passes);
  return {{residency, program.repetitions, fixed_shared(kernel),
           [=](const Launch& shape) { return launch(kernel, passes, shape); }},
          std::int64_t{body_length(kernel)} * program.passes};
}

std::int64_t InstructionThroughput::fixed_shared(const InstructionKernel& kernel) {
  const std::tuple key{kernel.type, kernel.ilp, kernel.long_body};
  if (const auto found = fixed_shared_.find(key); found != fixed_shared_.end()) return found->second;
  std::int64_t fixed = 0;
  check(allow_shared(kernel, runner_.limits().shared_per_block, fixed), "loading a kernel");
  return fixed_shared_[key] = fixed;
}

std::vector<Answer> InstructionThroughput::execute(std::span<const Experiment> batch) {
  return answer_with_runs(runner_, batch,
                          [this](const Experiment& experiment) { return accept(instruction::decode(experiment)); });
}

}  // namespace tomograph::cuda
