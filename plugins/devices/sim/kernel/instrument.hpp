#ifndef TOMOGRAPH_SIM_KERNEL_INSTRUMENT_HPP
#define TOMOGRAPH_SIM_KERNEL_INSTRUMENT_HPP

#include <future>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "sim/gpu/description.hpp"
#include "tomograph/instrument.hpp"
#include "tomograph/kernel.hpp"

namespace tomograph::sim {

/// Results of kernels that were executed, for all threads. There is no noise: neither the trial nor a common change of
/// all seeds, which gives other random blocks, makes another kernel.
class KnownKernels {
 public:
  /// The result of a kernel. It is executed at most once: a thread that asks meanwhile waits.
  [[nodiscard]] kernel::Result result(const Gpu& gpu, kernel::Kernel kernel);

 private:
  struct Known {
    kernel::Kernel kernel;
    std::shared_future<kernel::Result> result;
  };
  std::mutex mutex_;
  std::vector<Known> known_;
};

/// Executes kernels as data on GPUs whose description has [timing].
class Kernels : public Instrument {
 public:
  /// `gpu` must outlive the object.
  explicit Kernels(const Gpu& gpu, std::shared_ptr<KnownKernels> known = std::make_shared<KnownKernels>())
      : gpu_(gpu), known_(std::move(known)) {}

  [[nodiscard]] std::string_view id() const override;
  [[nodiscard]] std::vector<Answer> execute(std::span<const Experiment> batch) override;

 private:
  const Gpu& gpu_;
  std::shared_ptr<KnownKernels> known_;
};

}  // namespace tomograph::sim

#endif
