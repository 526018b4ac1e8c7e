#ifndef TOMOGRAPH_TMA_EXPERIMENTS_HPP
#define TOMOGRAPH_TMA_EXPERIMENTS_HPP

#include <span>
#include <string>
#include <vector>

#include "methods.hpp"
#include "tomograph/session/session.hpp"

/// The experiments of this plugin as values. Requests and answers are arrays of the names of the fields.
namespace tomograph::tma {

inline constexpr const char* latency_id = "tma.latency/2";
inline constexpr const char* throughput_id = "tma.throughput/1";

/// Copies of one tile at a time between shared memory and the L2, on some SMs.
struct LatencyRequest {
  Method method = Method::bulk;
  Direction direction = Direction::load;
  std::int64_t tile = 1024;
  std::int64_t rounds = 512;
  std::int64_t trial = 0;
};
/// Of every copy, from its start to the end of the wait for it, or of one look at a load by the TMA.
struct LatencyAnswer {
  std::vector<std::int64_t> cycles;
  std::vector<std::int64_t> done;  ///< 1: the copy was done then
};

/// Many tiles, with some under way at a time, on all SMs, from where the copies before ended.
struct ThroughputRequest {
  Method method = Method::bulk;
  Direction direction = Direction::load;
  std::int64_t tile = 1024;
  std::int64_t stages = 1;
  std::int64_t ctas_per_sm = 1;
  std::int64_t cluster = 1;   ///< more: every CTA of a cluster gets every tile
  bool multicast = false;     ///< each CTA of a cluster loads its share of a tile for all
  std::int64_t region = 0;    ///< bytes of global memory that are gone round
  std::int64_t sm_bytes = 0;  ///< copied by each SM
  std::int64_t trial = 0;
};
struct ThroughputAnswer {
  std::int64_t ctas = 0;
  std::int64_t cta_bytes = 0;  ///< that each of them copied
  double nanoseconds = 0;      ///< from the first one's start to the last one's end
};

[[nodiscard]] Experiment encode(const LatencyRequest& request);
[[nodiscard]] Experiment encode(const ThroughputRequest& request);
/// What a request asks. @throws std::invalid_argument naming what is missing or makes no sense.
[[nodiscard]] LatencyRequest decode_latency(const Experiment& experiment);
[[nodiscard]] ThroughputRequest decode_throughput(const Experiment& experiment);
[[nodiscard]] Arrays encode(const LatencyAnswer& answer);
[[nodiscard]] Arrays encode(const ThroughputAnswer& answer);

/// Executes the requests. @throws Skip if the device cannot, Refused if one of them failed.
[[nodiscard]] std::vector<LatencyAnswer> execute(const Session& session, std::span<const LatencyRequest> requests);
[[nodiscard]] std::vector<ThroughputAnswer> execute(const Session& session,
                                                    std::span<const ThroughputRequest> requests);

/// @throws Skip on a device that says that its compute capability is less than 9.0.
void expect_tma(const Session& session);

}  // namespace tomograph::tma

#endif
