#ifndef TOMOGRAPH_CUDA_LINKS_REMOTE_CHASES_HPP
#define TOMOGRAPH_CUDA_LINKS_REMOTE_CHASES_HPP

#include <span>
#include <vector>

#include "cuda/links/kernels.hpp"
#include "cuda/links/places.hpp"
#include "tomograph/instrument.hpp"
#include "tomograph/remote_chase.hpp"

namespace tomograph::cuda {

/// Answers tomograph.remote_chase/1 with one launch of one thread for each experiment.
class RemoteChases : public Instrument {
 public:
  explicit RemoteChases(int device);

  [[nodiscard]] std::string_view id() const override { return TOMOGRAPH_REMOTE_CHASE_ID; }
  [[nodiscard]] std::vector<Answer> execute(std::span<const Experiment> batch) override;

 private:
  [[nodiscard]] remote_chase::Result run(const remote_chase::Program& program);
  /// @throws Refused (UNSUPPORTED) unless the GPU can access the place in this way.
  void expect_access(const remote_chase::Program& program);
  /// The ring of a program, in its place; and where it is written by the host.
  [[nodiscard]] std::uint64_t place_ring(const remote_chase::Program& program);
  [[nodiscard]] remote_chase::Result result(const remote_chase::Program& program, const RemoteChaseTask& task);

  Places places_;
  Stream stream_;
  DeviceBuffer times_;
  ManagedBuffer managed_;
};

}  // namespace tomograph::cuda

#endif
