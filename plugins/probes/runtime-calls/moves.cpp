#include "moves.hpp"

namespace tomograph::runtime_calls {

namespace {

/// A point in a stream whose time is taken.
class Event {
 public:
  Event() { cuda::check(cudaEventCreate(&event_), "creating an event"); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { static_cast<void>(cudaEventDestroy(event_)); }

  void record(cudaStream_t stream) const { cuda::check(cudaEventRecord(event_, stream), "recording an event"); }
  /// Nanoseconds since `begin`, once both have passed.
  [[nodiscard]] double since(const Event& begin) const {
    cuda::check(cudaEventSynchronize(event_), "moving memory");
    float milliseconds = 0;
    cuda::check(cudaEventElapsedTime(&milliseconds, begin.event_, event_), "reading the time between events");
    return static_cast<double>(milliseconds) * 1e6;
  }

 private:
  cudaEvent_t event_ = nullptr;
};

void move(MovingGpu& gpu, bool copies, std::size_t bytes) {
  std::byte* const target = gpu.target().data();
  if (copies) {
    cuda::check(cudaMemcpyAsync(target, gpu.source().data(), bytes, cudaMemcpyDeviceToDevice, gpu.stream()), "copying");
  } else {
    cuda::check(cudaMemsetAsync(target, 0, bytes, gpu.stream()), "setting memory");
  }
}

}  // namespace

Arrays answer_moves(MovingGpu& gpu, const Experiment& experiment) {
  const MovesRequest request = decode_moves(experiment);
  const auto bytes = static_cast<std::size_t>(request.bytes);
  gpu.target().reserve(bytes);
  if (request.copies) gpu.source().reserve(bytes);
  const Event begin;
  const Event end;
  begin.record(gpu.stream());
  for (std::int64_t pass = 0; pass < request.passes; ++pass) move(gpu, request.copies, bytes);
  end.record(gpu.stream());
  return encode(MovesAnswer{end.since(begin)});
}

}  // namespace tomograph::runtime_calls
