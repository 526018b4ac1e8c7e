#include "starts.hpp"

#include <chrono>
#include <functional>
#include <stdexcept>

#include "kernels.hpp"
#include "tomograph/cuda/on_processor.hpp"

namespace tomograph::runtime_calls {

namespace {

/// Words lie so far apart that the GPU's write of one does not take the line of the other from the host.
constexpr std::size_t word_bytes = 256;

using Clock = std::chrono::steady_clock;

double nanoseconds(Clock::time_point begin, Clock::time_point end) {
  return std::chrono::duration<double, std::nano>(end - begin).count();
}

void launch_chain(std::int64_t kernels, bool held, const Words& words, cudaStream_t stream) {
  const auto [first, last, gate] = words.on_device();
  for (std::int64_t i = 0; i < kernels; ++i) {
    cuda::check(launch_teller(held && i == 0 ? gate : nullptr, i == 0 ? first : nullptr,
                              i + 1 == kernels ? last : nullptr, stream),
                "starting a kernel");
  }
}

/// Makes a graph of what is started on a stream, which works as before when this ends.
class Capture {
 public:
  explicit Capture(cudaStream_t stream) : stream_(stream) {
    cuda::check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "beginning a graph");
  }
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;
  ~Capture() {
    if (!has_ended_ && cudaStreamEndCapture(stream_, &graph_) != cudaSuccess) static_cast<void>(cudaGetLastError());
    if (graph_ != nullptr) static_cast<void>(cudaGraphDestroy(graph_));
  }

  /// The graph, which lives as long as this.
  [[nodiscard]] cudaGraph_t end() {
    has_ended_ = true;
    cuda::check(cudaStreamEndCapture(stream_, &graph_), "ending a graph");
    return graph_;
  }

 private:
  cudaStream_t stream_;
  cudaGraph_t graph_ = nullptr;
  bool has_ended_ = false;
};

/// A chain of kernels as a graph.
class Graph {
 public:
  Graph(std::int64_t kernels, const Words& words, cudaStream_t stream) {
    Capture capture(stream);
    launch_chain(kernels, false, words, stream);
    cuda::check(cudaGraphInstantiateWithFlags(&executable_, capture.end(), 0), "making a graph executable");
  }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph() { static_cast<void>(cudaGraphExecDestroy(executable_)); }

  void launch(cudaStream_t stream) const { cuda::check(cudaGraphLaunch(executable_, stream), "starting a graph"); }

 private:
  cudaGraphExec_t executable_ = nullptr;
};

void let_begin(StartingGpu& gpu) {
  if (gpu.words().open()) return;
  cuda::check(cudaStreamSynchronize(gpu.stream()), "running kernels");
  throw Refused(TOMOGRAPH_UNSUPPORTED, "calls wait for the kernels that they start");
}

void time_run(StartingGpu& gpu, bool held, const std::function<void()>& launch, StartsAnswer& answer) {
  gpu.words().clear();
  const auto begin = Clock::now();
  launch();
  answer.called.push_back(nanoseconds(begin, Clock::now()));
  if (held) let_begin(gpu);
  gpu.words().wait_for(0, gpu.stream());
  answer.first_seen.push_back(nanoseconds(begin, Clock::now()));
  gpu.words().wait_for(1, gpu.stream());
  answer.last_seen.push_back(nanoseconds(begin, Clock::now()));
  cuda::check(cudaStreamSynchronize(gpu.stream()), "running kernels");
  answer.synchronised.push_back(nanoseconds(begin, Clock::now()));
}

StartsAnswer time_runs(StartingGpu& gpu, const StartsRequest& request, const std::function<void()>& launch) {
  StartsAnswer warm_up;
  time_run(gpu, request.held, launch, warm_up);
  StartsAnswer answer;
  for (std::int64_t run = 0; run < request.runs; ++run) time_run(gpu, request.held, launch, answer);
  return answer;
}

}  // namespace

Words::Words() {
  memory_.reserve(on_device_.size() * word_bytes);
  void* mapped = nullptr;
  cuda::check(cudaHostGetDevicePointer(&mapped, memory_.data(), 0), "mapping memory of the host");
  for (std::size_t i = 0; i < on_device_.size(); ++i) {
    on_device_[i] = reinterpret_cast<std::uint32_t*>(static_cast<std::byte*>(mapped) + i * word_bytes);
  }
}

void Words::clear() {
  for (std::size_t i = 0; i < on_device_.size(); ++i) write(i, 0);
}

bool Words::open() {
  if (is_set(0)) return false;
  write(2, 1);
  return true;
}

void Words::write(std::size_t number, std::uint32_t value) {
  *reinterpret_cast<volatile std::uint32_t*>(memory_.data() + number * word_bytes) = value;
}

bool Words::is_set(std::size_t number) const {
  return *reinterpret_cast<const volatile std::uint32_t*>(memory_.data() + number * word_bytes) != 0;
}

void Words::wait_for(std::size_t number, cudaStream_t stream) const {
  // Asking the stream would delay the host's next look, so it is asked only where the word has long been expected.
  constexpr auto long_after_a_launch = std::chrono::milliseconds(10);
  auto ask = Clock::now() + long_after_a_launch;
  while (!is_set(number)) {
    if (Clock::now() < ask) continue;
    const cudaError_t state = cudaStreamQuery(stream);
    if (state == cudaSuccess && is_set(number)) return;
    if (state == cudaSuccess) throw std::runtime_error("a kernel ended, but the host does not see what it wrote");
    if (state != cudaErrorNotReady) cuda::check(state, "running kernels");
    ask = Clock::now() + long_after_a_launch;
  }
}

Arrays answer_starts(StartingGpu& gpu, const Experiment& experiment) {
  const StartsRequest request = decode_starts(experiment);
  const Words& words = gpu.words();
  const cuda::OnProcessor processor(request.trial);
  if (!request.graph) {
    return encode(time_runs(gpu, request, [&] { launch_chain(request.kernels, request.held, words, gpu.stream()); }));
  }
  const Graph graph(request.kernels, words, gpu.stream());
  return encode(time_runs(gpu, request, [&] { graph.launch(gpu.stream()); }));
}

}  // namespace tomograph::runtime_calls
