#ifndef TOMOGRAPH_SIM_GPU_NODE_HPP
#define TOMOGRAPH_SIM_GPU_NODE_HPP

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/gpu/rules.hpp"

/// The host of a simulated GPU, and the GPUs beside it. schemas/simulated-gpu.schema.json defines every field under the
/// same name. Rates are bytes per second, times are nanoseconds.
namespace tomograph::sim {

class Section;

/// The way to the host's memory.
struct HostLink {
  double latency_ns = 0;
  double copy_latency_ns = 0;
  double read = 0;
  double write = 0;
  double copy_in = 0;
  double copy_out = 0;
  double both_ways = 0;
  double pageable_in = 0;
  double pageable_out = 0;
  std::optional<double> page_fault_ns;
  std::optional<std::int64_t> numa_node;
  double sigma = 0;
};

/// The way from one GPU to another, the same in both directions.
struct GpuLink {
  double latency_ns = 0;
  std::optional<double> atomic_latency_ns;  ///< absent: no native atomics
  double copy_latency_ns = 0;
  double read = 0;
  double write = 0;
  double copy = 0;
  double both_ways = 0;
};

/// A pair of GPUs whose link is not the usual one; without `link` they have no access to each other.
struct PairLink {
  std::vector<std::int64_t> between;
  std::optional<GpuLink> link;
};

/// All GPUs of a host.
struct Node {
  std::int64_t gpus = 1;
  std::int64_t own = 0;  ///< number of the simulated GPU
  GpuLink link;
  std::vector<PairLink> pairs;
  std::optional<double> port;    ///< of each GPU in each direction, all its links together
  std::optional<double> fabric;  ///< of all links together
  double sigma = 0;

  /// The link of two different GPUs, or null if they have no access to each other.
  [[nodiscard]] const GpuLink* between(std::int64_t one, std::int64_t other) const;
};

[[nodiscard]] HostLink read_host_link(const Section& section);
[[nodiscard]] Node read_node(const Section& section);

/// The first broken rule of `node`, or nothing.
[[nodiscard]] Broken violation(const Node& node);

}  // namespace tomograph::sim

#endif
