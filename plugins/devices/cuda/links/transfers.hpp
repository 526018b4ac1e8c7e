#ifndef TOMOGRAPH_CUDA_LINKS_TRANSFERS_HPP
#define TOMOGRAPH_CUDA_LINKS_TRANSFERS_HPP

#include <map>
#include <memory>
#include <span>
#include <vector>

#include "cuda/l2_flush.hpp"
#include "cuda/links/places.hpp"
#include "tomograph/instrument.hpp"

namespace tomograph::cuda {

/// A stream of a GPU with two events that time what lies between them.
class TimedStream {
 public:
  explicit TimedStream(int gpu);
  TimedStream(const TimedStream&) = delete;
  TimedStream& operator=(const TimedStream&) = delete;
  ~TimedStream();

  [[nodiscard]] cudaStream_t get() const { return stream_; }
  void begin() const { check(cudaEventRecord(begin_, stream_), "recording an event"); }
  void end() const { check(cudaEventRecord(end_, stream_), "recording an event"); }
  /// Waits for the end. Nanoseconds between the two events.
  [[nodiscard]] double elapsed_ns() const;

 private:
  cudaStream_t stream_ = nullptr;
  cudaEvent_t begin_ = nullptr;
  cudaEvent_t end_ = nullptr;
};

/// Answers tomograph.transfer/1. All copies of an experiment are enqueued behind a gate, which opens then: so neither
/// the calls nor the order of the streams are part of the times. A kernel is one launch, and has no gate: the driver
/// may wait for the device when it loads it.
class Transfers : public Instrument {
 public:
  explicit Transfers(int device);

  /// Frees the memory that is kept from batch to batch: locking a GiB of the host's pages may take more than a second.
  void release_memory() {
    places_.release();
    l2_flush_.release_memory();
  }

  [[nodiscard]] std::string_view id() const override { return TOMOGRAPH_TRANSFER_ID; }
  [[nodiscard]] std::vector<Answer> execute(std::span<const Experiment> batch) override;

 private:
  /// One transfer with its memory.
  struct Job {
    transfer::Route route;
    int gpu = 0;  ///< whose stream carries it
    std::byte* from = nullptr;
    std::byte* to = nullptr;
    TimedStream* stream = nullptr;
  };

  [[nodiscard]] transfer::Result run(const transfer::Program& program);
  [[nodiscard]] std::vector<Job> jobs_of(const transfer::Program& program);
  /// Makes every place reachable that the program's engine must reach. @throws Refused.
  void connect(const transfer::Program& program) const;
  [[nodiscard]] static double run_pageable(const transfer::Program& program, const Job& job);
  void enqueue(const transfer::Program& program, const Job& job);
  static void copy_once(const Job& job, std::int64_t bytes);
  void move_by_sms(const transfer::Program& program, const Job& job);
  /// The `number`th stream of a GPU.
  [[nodiscard]] TimedStream& stream(int gpu, std::size_t number);

  Places places_;
  std::int64_t sm_count_;
  Stream gate_;
  DeviceBuffer sink_;
  L2Flush l2_flush_;
  std::map<int, std::vector<std::unique_ptr<TimedStream>>> streams_;
};

}  // namespace tomograph::cuda

#endif
