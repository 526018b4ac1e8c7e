#ifndef TOMOGRAPH_SIM_KERNEL_INSTRUMENT_HPP
#define TOMOGRAPH_SIM_KERNEL_INSTRUMENT_HPP

#include <vector>

#include "sim/gpu/description.hpp"
#include "tomograph/instrument.hpp"
#include "tomograph/kernel.hpp"

namespace tomograph::sim {

/// Executes kernels as data on GPUs whose description has [timing]. Without noise: an answer depends on the kernel
/// alone, whatever its trial, so each is executed once.
class Kernels : public Instrument {
 public:
  /// `gpu` must outlive the object.
  explicit Kernels(const Gpu& gpu) : gpu_(gpu) {}

  [[nodiscard]] std::string_view id() const override;
  [[nodiscard]] std::vector<Answer> execute(std::span<const Experiment> batch) override;

 private:
  struct Known {
    kernel::Kernel kernel;
    kernel::Result result;
  };
  const Gpu& gpu_;
  std::vector<Known> known_;
};

}  // namespace tomograph::sim

#endif
