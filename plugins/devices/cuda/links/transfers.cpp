#include "cuda/links/transfers.hpp"

#include <algorithm>
#include <chrono>
#include <future>
#include <stdexcept>

#include "cuda/links/kernels.hpp"
#include "tomograph/cuda/device.hpp"
#include "tomograph/cuda/on_processor.hpp"

namespace tomograph::cuda {

namespace {

using transfer::Engine;

/// The kernel compares the sum of what it reads with this number, so that the compiler keeps every load.
constexpr std::uint32_t unlikely_sum = 0x9e3779b9;

/// Holds back all streams that wait for `event` until it is opened or destroyed.
class Barrier {
 public:
  explicit Barrier(cudaStream_t stream) : future_(promise_.get_future()) {
    check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "creating an event");
    check(cudaLaunchHostFunc(
              stream, [](void* future) { static_cast<std::future<void>*>(future)->wait(); }, &future_),
          "closing the gate");
    stream_ = stream;
    check(cudaEventRecord(event_, stream), "recording an event");
  }
  Barrier(const Barrier&) = delete;
  Barrier& operator=(const Barrier&) = delete;
  ~Barrier() {
    open();
    static_cast<void>(cudaStreamSynchronize(stream_));
    static_cast<void>(cudaEventDestroy(event_));
  }

  void hold(cudaStream_t stream) const { check(cudaStreamWaitEvent(stream, event_, 0), "waiting for an event"); }
  void open() {
    if (is_open_) return;
    is_open_ = true;
    promise_.set_value();
  }

 private:
  std::promise<void> promise_;
  std::future<void> future_;
  cudaStream_t stream_ = nullptr;
  cudaEvent_t event_ = nullptr;
  bool is_open_ = false;
};

/// The GPU whose engine copies: the one that sends, or receives from the host.
int copier(const transfer::Route& route) {
  return static_cast<int>(transfer::is_gpu(route.from) ? route.from : route.to);
}

bool is_pageable(const transfer::Program& program) {
  return std::ranges::any_of(program.routes, [](const transfer::Route& route) {
    return route.from == transfer::pageable || route.to == transfer::pageable;
  });
}

}  // namespace

TimedStream::TimedStream(int gpu) {
  const CurrentGpu there(gpu);
  check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "creating a stream");
  check(cudaEventCreate(&begin_), "creating an event");
  check(cudaEventCreate(&end_), "creating an event");
}

TimedStream::~TimedStream() {
  for (cudaEvent_t event : {begin_, end_}) {
    if (event != nullptr) static_cast<void>(cudaEventDestroy(event));
  }
  static_cast<void>(cudaStreamDestroy(stream_));
}

double TimedStream::elapsed_ns() const {
  check(cudaEventSynchronize(end_), "moving data");
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, begin_, end_), "reading the time between events");
  return static_cast<double>(milliseconds) * 1e6;
}

Transfers::Transfers(int device)
    : places_(device), sm_count_(attribute(cudaDevAttrMultiProcessorCount, device)), l2_flush_(device) {
  sink_.reserve(sizeof(std::uint32_t));
}

TimedStream& Transfers::stream(int gpu, std::size_t number) {
  auto& own = streams_[gpu];
  while (own.size() <= number) own.push_back(std::make_unique<TimedStream>(gpu));
  return *own[number];
}

void Transfers::connect(const transfer::Program& program) const {
  const int own = places_.device();
  for (const auto& [from, to] : program.routes) {
    for (const transfer::Place place : {from, to}) Places::expect(place);
    if (program.engine == Engine::copy_engine) {
      const int gpu = copier({from, to});
      const CurrentGpu there(gpu);
      Places(gpu).connect(from == gpu ? to : from);
    } else if (from == own || to == own) {
      places_.connect(from == own ? to : from);
    } else {
      throw Refused(TOMOGRAPH_UNSUPPORTED, "SMs of another GPU do not move data");
    }
  }
}

std::vector<Transfers::Job> Transfers::jobs_of(const transfer::Program& program) {
  std::map<transfer::Place, std::size_t> needed;
  for (const transfer::Route& route : program.routes) {
    for (const transfer::Place place : {route.from, route.to}) needed[place] += static_cast<std::size_t>(program.bytes);
  }
  std::map<transfer::Place, std::byte*> next;
  for (const auto& [place, bytes] : needed) next[place] = places_.memory(place, bytes);
  const auto take = [&](transfer::Place place) {
    std::byte* const memory = next[place];
    next[place] += program.bytes;
    return memory;
  };
  std::map<int, std::size_t> used;
  std::vector<Job> jobs;
  for (const transfer::Route& route : program.routes) {
    // SMs of the peer would read its own memory, not the link.
    const int gpu = program.engine == Engine::sms ? places_.device() : copier(route);
    jobs.push_back({route, gpu, take(route.from), take(route.to), &stream(gpu, used[gpu]++)});
  }
  return jobs;
}

void Transfers::copy_once(const Job& job, std::int64_t bytes) {
  const auto size = static_cast<std::size_t>(bytes);
  if (transfer::is_gpu(job.route.from) && transfer::is_gpu(job.route.to)) {
    check(cudaMemcpyPeerAsync(job.to, static_cast<int>(job.route.to), job.from, static_cast<int>(job.route.from), size,
                              job.stream->get()),
          "copying to another GPU");
    return;
  }
  const cudaMemcpyKind kind = transfer::is_gpu(job.route.to) ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;
  check(cudaMemcpyAsync(job.to, job.from, size, kind, job.stream->get()), "copying");
}

void Transfers::move_by_sms(const transfer::Program& program, const Job& job) {
  const bool writes = job.route.from == places_.device();
  const SmTransferTask task{.memory = writes ? job.to : job.from,
                            .bytes = static_cast<std::uint64_t>(program.bytes),
                            .passes = static_cast<std::uint32_t>(program.passes),
                            .unlikely_sum = unlikely_sum,
                            .sink = reinterpret_cast<std::uint32_t*>(sink_.data())};
  const auto ctas = static_cast<std::uint32_t>(sm_count_ * program.ctas_per_sm);
  check(launch_sm_transfer(writes, task, ctas, job.stream->get()), "starting a kernel");
}

void Transfers::enqueue(const transfer::Program& program, const Job& job) {
  const CurrentGpu there(job.gpu);
  if (program.engine == Engine::sms) l2_flush_.enqueue(job.stream->get());
  job.stream->begin();
  if (program.engine == Engine::sms) {
    move_by_sms(program, job);
  } else {
    for (std::int64_t pass = 0; pass < program.passes; ++pass) copy_once(job, program.bytes);
  }
  job.stream->end();
}

double Transfers::run_pageable(const transfer::Program& program, const Job& job) {
  // The first copy on a processor fetches what its caches lack.
  constexpr std::int64_t trials_of_a_processor = 3;
  const OnProcessor processor(program.trial / trials_of_a_processor);
  const auto begin = std::chrono::steady_clock::now();
  for (std::int64_t pass = 0; pass < program.passes; ++pass) copy_once(job, program.bytes);
  check(cudaStreamSynchronize(job.stream->get()), "copying");
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count();
}

transfer::Result Transfers::run(const transfer::Program& program) {
  if (const auto why = transfer::violation(program)) throw std::invalid_argument(*why);
  connect(program);
  const std::vector<Job> jobs = jobs_of(program);
  transfer::Result result;
  if (is_pageable(program)) {
    result.elapsed_ns.push_back(run_pageable(program, jobs.front()));
    return result;
  }
  if (program.engine == Engine::sms) {
    enqueue(program, jobs.front());
    result.elapsed_ns.push_back(jobs.front().stream->elapsed_ns());
    return result;
  }
  Barrier gate(gate_.get());
  for (const Job& job : jobs) {
    gate.hold(job.stream->get());
    enqueue(program, job);
  }
  gate.open();
  for (const Job& job : jobs) result.elapsed_ns.push_back(job.stream->elapsed_ns());
  return result;
}

std::vector<Answer> Transfers::execute(std::span<const Experiment> batch) {
  return answer_each(
      batch, [this](const Experiment& experiment) { return transfer::encode(run(transfer::decode(experiment))); });
}

}  // namespace tomograph::cuda
