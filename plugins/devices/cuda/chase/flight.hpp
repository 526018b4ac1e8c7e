#ifndef TOMOGRAPH_CUDA_CHASE_FLIGHT_HPP
#define TOMOGRAPH_CUDA_CHASE_FLIGHT_HPP

#include "cuda/chase/submission.hpp"
#include "tomograph/cuda/memory.hpp"

namespace tomograph::cuda {

/// Tells when all is done that was put on a stream before it.
class Event {
 public:
  Event() { check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "creating an event"); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { static_cast<void>(cudaEventDestroy(event_)); }

  void record(cudaStream_t stream) const { check(cudaEventRecord(event_, stream), "recording an event"); }
  void synchronize() const { check(cudaEventSynchronize(event_), "running kernels"); }

 private:
  cudaEvent_t event_ = nullptr;
};

/// The memory through which a submission goes to the GPU and comes back. While one is there, the next is laid out.
struct Flight {
  Submission submission{0};
  PinnedBuffer sent;
  PinnedBuffer received;
  DeviceBuffer device_sent;
  DeviceBuffer device_state;
  DeviceBuffer device_output;
  Event done;
  bool is_under_way = false;
};

}  // namespace tomograph::cuda

#endif
