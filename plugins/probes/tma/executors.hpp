#ifndef TOMOGRAPH_TMA_EXECUTORS_HPP
#define TOMOGRAPH_TMA_EXECUTORS_HPP

#include <memory>

#include "experiments.hpp"

/// What executes the experiments of this plugin on a GPU.
namespace tomograph::tma {

class Gpu;

/// Answers the experiments of one id.
class Executor {
 public:
  static constexpr const char* device = "cuda";

  Executor(const Session& session, std::string_view target);
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;
  ~Executor();

 protected:
  std::unique_ptr<Gpu> gpu_;
};

struct LatencyExecutor : Executor {
  using Executor::Executor;
  static constexpr const char* experiment = latency_id;
  static constexpr const char* description = "Copies of one tile at a time";
  std::vector<Answer> execute(std::span<const Experiment> batch);
};
struct ThroughputExecutor : Executor {
  using Executor::Executor;
  static constexpr const char* experiment = throughput_id;
  static constexpr const char* description = "Copies of many tiles on all SMs";
  std::vector<Answer> execute(std::span<const Experiment> batch);
};

}  // namespace tomograph::tma

#endif
