#ifndef TOMOGRAPH_CUDA_STREAMING_INSTRUMENT_HPP
#define TOMOGRAPH_CUDA_STREAMING_INSTRUMENT_HPP

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "cuda/chase/textures.hpp"
#include "cuda/memory/arena.hpp"
#include "cuda/neighbours/neighbour_monitor.hpp"
#include "cuda/streaming/kernels.hpp"
#include "tomograph/cuda/memory.hpp"
#include "tomograph/instrument.hpp"
#include "tomograph/streaming.hpp"

namespace tomograph::cuda {

/// Answers tomograph.streaming/1. Each program is one kernel launch; a batch has one upload and one download.
class Streaming : public Instrument {
 public:
  /// `arena` and `monitor` outlive this.
  Streaming(int device, Arena& arena, NeighbourMonitor& monitor);

  [[nodiscard]] std::string_view id() const override { return TOMOGRAPH_STREAMING_ID; }
  [[nodiscard]] std::vector<Answer> execute(std::span<const Experiment> batch) override;

 private:
  /// A program that the device can run, with its place in the batch and in memory.
  struct Job {
    streaming::Program program = {};
    std::size_t position = 0;  ///< in the batch
    std::size_t row = 0;       ///< among the jobs
    StreamKernel kernel = nullptr;
    int grid = 0;  ///< CTAs of a grid that fills all SMs
    std::int64_t ctas_per_sm = 0;
    std::int64_t footprint = 0;
    std::size_t place = 0;  ///< offset of its arrays in the arena, in bytes
    std::size_t words = 0;  ///< offset of its synchronization words in `state_`, in bytes
    std::size_t times = 0;  ///< offset of its times in `state_`, in bytes

    [[nodiscard]] std::int64_t sms() const { return static_cast<std::int64_t>(program.sms.size()); }
  };

  /// @throws std::invalid_argument, Refused if the device cannot run the program.
  [[nodiscard]] Job prepare(streaming::Program program) const;
  /// @throws Refused if the program's path cannot address so large a footprint.
  void expect_reach(const streaming::Program& program, std::int64_t footprint) const;
  void run(std::span<Job> jobs);
  /// Assigns each job its words and times, and reserves memory for all of them.
  void reserve(std::span<Job> jobs);
  void upload(std::span<const Job> jobs);
  void launch(const Job& job);
  /// A texture over the footprint, until the batch ends; 0 if the program reads no texels.
  [[nodiscard]] std::uint64_t texture_of(const Job& job);
  [[nodiscard]] Answer answer(const Job& job) const;
  [[nodiscard]] static streaming::Result result(const Job& job, std::span<const StreamTimes> times);

  NeighbourMonitor* monitor_;
  std::int64_t sm_count_ = 0;
  std::int64_t shared_per_sm_ = 0;
  std::int64_t texels_ = 0;  ///< of a linear texture
  Stream stream_;
  Arena* arena_;
  std::size_t filled_ = 0;  ///< bytes of the arena that have a content
  /// By place, element and footprint.
  std::map<std::tuple<std::size_t, std::int64_t, std::int64_t>, LinearTexture> textures_;
  DeviceBuffer state_;     ///< synchronization words, then times, then ranks of all jobs
  PinnedBuffer mirror_;    ///< of `state_`
  std::size_t ranks_ = 0;  ///< offset of the ranks in `state_`, one row per job
  std::size_t state_size_ = 0;
};

}  // namespace tomograph::cuda

#endif
