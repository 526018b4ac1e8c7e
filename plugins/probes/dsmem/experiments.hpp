#ifndef TOMOGRAPH_DSMEM_EXPERIMENTS_HPP
#define TOMOGRAPH_DSMEM_EXPERIMENTS_HPP

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "accesses.hpp"
#include "tomograph/session/session.hpp"

/// The experiments of this plugin as values. Each runs on as many clusters as the device holds at once, one CTA on an
/// SM. Requests and answers are arrays of the names of the fields.
namespace tomograph::dsmem {

inline constexpr const char* clusters_id = "dsmem.clusters/1";
inline constexpr const char* latency_id = "dsmem.latency/1";
inline constexpr const char* handover_id = "dsmem.handover/1";
inline constexpr const char* throughput_id = "dsmem.throughput/1";

/// Are there clusters of this size?
struct ClustersRequest {
  std::int64_t size = 1;
};
struct ClustersAnswer {
  std::int64_t resident = 0;            ///< clusters of this size at once, 0 if there are none
  std::vector<std::int64_t> seen_size;  ///< size of its cluster that each CTA saw
};

/// Every CTA of a cluster chases through the shared memory of every CTA of it, one at a time.
struct LatencyRequest {
  std::int64_t size = 2;
  std::int64_t loads = 32;
  std::int64_t trial = 0;
};
struct LatencyAnswer {
  std::vector<std::int64_t> sm;  ///< of each CTA, cluster by cluster
  std::vector<double> cycles;    ///< of a load, [cluster][reader][target]
};

/// Two CTAs of a cluster hand a number to and fro.
struct HandoverRequest {
  Space space = Space::cluster;
  std::int64_t rounds = 256;
  std::int64_t trial = 0;  ///< also where in global memory the words lie
};
struct HandoverAnswer {
  std::vector<double> cycles;  ///< from one to the other, as each CTA saw it
};

/// All CTAs access their partners' memory.
struct ThroughputRequest {
  std::int64_t size = 2;
  Operation operation = Operation::load;
  Partner partner = Partner::next;
  Space space = Space::cluster;
  std::int64_t width = 16;
  std::int64_t passes = 1;
  std::int64_t trial = 0;
};
struct ThroughputAnswer {
  std::int64_t pass_bytes = 0;
  std::vector<double> cycles;  ///< of each CTA that accesses anything
  double nanoseconds = 0;      ///< from the first one's start to the last one's end
};

[[nodiscard]] Experiment encode(const ClustersRequest& request);
[[nodiscard]] Experiment encode(const LatencyRequest& request);
[[nodiscard]] Experiment encode(const HandoverRequest& request);
[[nodiscard]] Experiment encode(const ThroughputRequest& request);

/// What a request asks. @throws std::invalid_argument naming what is missing or makes no sense.
[[nodiscard]] ClustersRequest decode_clusters(const Experiment& experiment);
[[nodiscard]] LatencyRequest decode_latency(const Experiment& experiment);
[[nodiscard]] HandoverRequest decode_handover(const Experiment& experiment);
[[nodiscard]] ThroughputRequest decode_throughput(const Experiment& experiment);

[[nodiscard]] Arrays encode(const ClustersAnswer& answer);
[[nodiscard]] Arrays encode(const LatencyAnswer& answer);
[[nodiscard]] Arrays encode(const HandoverAnswer& answer);
[[nodiscard]] Arrays encode(const ThroughputAnswer& answer);

/// Executes the requests. @throws Skip if the device cannot, Refused if one of them failed.
[[nodiscard]] std::vector<ClustersAnswer> execute(const Session& session, std::span<const ClustersRequest> requests);
[[nodiscard]] std::vector<LatencyAnswer> execute(const Session& session, std::span<const LatencyRequest> requests);
[[nodiscard]] std::vector<HandoverAnswer> execute(const Session& session, std::span<const HandoverRequest> requests);
[[nodiscard]] std::vector<ThroughputAnswer> execute(const Session& session,
                                                    std::span<const ThroughputRequest> requests);

/// @throws Skip on a device that says that its compute capability is less than 9.0.
void expect_clusters(const Session& session);

}  // namespace tomograph::dsmem

#endif
