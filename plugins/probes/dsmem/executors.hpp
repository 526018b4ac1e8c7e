#ifndef TOMOGRAPH_DSMEM_EXECUTORS_HPP
#define TOMOGRAPH_DSMEM_EXECUTORS_HPP

#include <map>
#include <memory>

#include "experiments.hpp"

/// What executes the experiments of this plugin on a GPU.
namespace tomograph::dsmem {

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

struct ClustersExecutor : Executor {
  using Executor::Executor;
  static constexpr const char* experiment = clusters_id;
  static constexpr const char* description = "Clusters of a size, and the size that they see";
  std::vector<Answer> execute(std::span<const Experiment> batch);
};
struct LatencyExecutor : Executor {
  using Executor::Executor;
  static constexpr const char* experiment = latency_id;
  static constexpr const char* description = "Loads from the shared memory of every CTA of a cluster";
  std::vector<Answer> execute(std::span<const Experiment> batch);
};
struct HandoverExecutor : Executor {
  using Executor::Executor;
  static constexpr const char* experiment = handover_id;
  static constexpr const char* description = "A number handed to and fro between two SMs";
  std::vector<Answer> execute(std::span<const Experiment> batch);
};
struct ThroughputExecutor : Executor {
  using Executor::Executor;
  static constexpr const char* experiment = throughput_id;
  static constexpr const char* description = "Loads, stores and atomics between SMs, or through global memory";
  std::vector<Answer> execute(std::span<const Experiment> batch);
};

}  // namespace tomograph::dsmem

#endif
