#ifndef TOMOGRAPH_KERNEL_KERNEL_TRACE_HPP
#define TOMOGRAPH_KERNEL_KERNEL_TRACE_HPP

#include <cstdint>
#include <string>

#include "tomograph/kernel.hpp"
#include "tomograph/kernel/trace.hpp"

namespace tomograph::kernel {

/// The most instructions of a warp that a trace may have: they lie in memory at once, some 300 bytes for each load.
inline constexpr std::int64_t most_traced_instructions = std::int64_t{1} << 24;

/// The trace of a kernel as data, with the instructions that abi/kernel.h counts, in its order. Addresses are offsets
/// in the footprint. A load of which no lane takes part is an integer instruction: it is issued, but accesses nothing.
class KernelTrace : public Trace {
 public:
  /// @throws std::invalid_argument with the rule that `kernel` breaks, or if a warp executes more than
  /// `most_traced_instructions`.
  KernelTrace(std::string name, Kernel kernel);

  [[nodiscard]] const Launch& launch() const override { return launch_; }
  [[nodiscard]] Warp warp(std::uint32_t cta, std::uint32_t warp) const override;

 private:
  Kernel kernel_;
  Launch launch_;
};

}  // namespace tomograph::kernel

#endif
