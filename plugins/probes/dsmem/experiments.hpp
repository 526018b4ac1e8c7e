#ifndef TOMOGRAPH_DSMEM_EXPERIMENTS_HPP
#define TOMOGRAPH_DSMEM_EXPERIMENTS_HPP

#include <cstdint>
#include <vector>

#include "accesses.hpp"
#include "tomograph/experiment.hpp"

/// The experiments of this plugin as values. Each runs on as many clusters as the device holds at the same time, one
/// CTA per SM. The arrays of requests and answers have the names of the fields.
namespace tomograph::dsmem {

inline constexpr const char* clusters_id = "dsmem.clusters/1";
inline constexpr const char* latency_id = "dsmem.latency/1";
inline constexpr const char* handover_id = "dsmem.handover/1";
inline constexpr const char* throughput_id = "dsmem.throughput/1";

/// Launches clusters of one size.
struct ClustersRequest {
  std::int64_t size = 1;
};
struct ClustersAnswer {
  std::int64_t resident = 0;            ///< clusters resident at the same time, according to the driver; 0 for none
  std::vector<std::int64_t> seen_size;  ///< cluster size that each CTA read; empty if the launch was refused
};

/// Every CTA of a cluster chases pointers through the shared memory of every CTA of its cluster, one pair at a time.
struct LatencyRequest {
  std::int64_t size = 2;
  std::int64_t loads = 32;
  std::int64_t trial = 0;
};
struct LatencyAnswer {
  std::vector<std::int64_t> sm;  ///< of each CTA, cluster by cluster
  std::vector<double> cycles;    ///< of one load, [cluster][reader][target]
};

/// Two CTAs of a cluster hand a number back and forth.
struct HandoverRequest {
  Space space = Space::cluster;
  std::int64_t rounds = 256;
  std::int64_t trial = 0;  ///< also selects where the words lie in global memory
};
struct HandoverAnswer {
  std::vector<double> cycles;  ///< half a round trip, as each CTA measured it
};

/// All CTAs access the memory of their partners.
struct ThroughputRequest {
  std::int64_t size = 2;
  Operation operation = Operation::load;
  Partner partner = Partner::next;
  Space space = Space::cluster;
  std::int64_t width = 16;  ///< bytes of one access of a thread
  std::int64_t passes = 1;
  std::int64_t trial = 0;  ///< also selects where the memory of all CTAs lies in global memory
};
struct ThroughputAnswer {
  std::int64_t pass_bytes = 0;  ///< bytes that a CTA accesses in one pass
  std::vector<double> cycles;   ///< of each CTA that accesses memory
  double nanoseconds = 0;       ///< from the first CTA's start to the last CTA's end
};

[[nodiscard]] Experiment encode(const ClustersRequest& request);
[[nodiscard]] Experiment encode(const LatencyRequest& request);
[[nodiscard]] Experiment encode(const HandoverRequest& request);
[[nodiscard]] Experiment encode(const ThroughputRequest& request);

/// The request in an experiment. @throws std::invalid_argument naming the parameter that is missing or out of range.
[[nodiscard]] ClustersRequest decode_clusters(const Experiment& experiment);
[[nodiscard]] LatencyRequest decode_latency(const Experiment& experiment);
[[nodiscard]] HandoverRequest decode_handover(const Experiment& experiment);
[[nodiscard]] ThroughputRequest decode_throughput(const Experiment& experiment);

[[nodiscard]] Arrays encode(const ClustersAnswer& answer);
[[nodiscard]] Arrays encode(const LatencyAnswer& answer);
[[nodiscard]] Arrays encode(const HandoverAnswer& answer);
[[nodiscard]] Arrays encode(const ThroughputAnswer& answer);

/// The answer to a request. @throws std::invalid_argument if arrays are missing, of another type or length.
[[nodiscard]] ClustersAnswer decode_result(const ClustersRequest& request, const Answer& answer);
[[nodiscard]] LatencyAnswer decode_result(const LatencyRequest& request, const Answer& answer);
[[nodiscard]] HandoverAnswer decode_result(const HandoverRequest& request, const Answer& answer);
[[nodiscard]] ThroughputAnswer decode_result(const ThroughputRequest& request, const Answer& answer);

}  // namespace tomograph::dsmem

#endif
