#ifndef TOMOGRAPH_TMA_EXPERIMENTS_HPP
#define TOMOGRAPH_TMA_EXPERIMENTS_HPP

#include <cstdint>
#include <vector>

#include "methods.hpp"
#include "tomograph/experiment.hpp"

/// The experiments of this plugin as values. The arrays of requests and answers have the names of the fields.
namespace tomograph::tma {

inline constexpr const char* latency_id = "tma.latency/2";
inline constexpr const char* throughput_id = "tma.throughput/1";

/// Copies one tile at a time between shared memory and the L2, on a few SMs.
struct LatencyRequest {
  Method method = Method::bulk;
  Direction direction = Direction::load;
  std::int64_t tile = 1024;
  std::int64_t rounds = 512;  ///< copies on each SM
  std::int64_t trial = 0;
};
/// Of each copy: the cycles from its start to the end of the wait for it, or, if it is a load by the TMA, to the end of
/// one poll of its barrier.
struct LatencyAnswer {
  std::vector<std::int64_t> cycles;
  std::vector<std::int64_t> done;  ///< 1: the copy was done at that time
};

/// Copies many tiles on all SMs, with several in flight at a time. It continues in memory where the previous request
/// ended.
struct ThroughputRequest {
  Method method = Method::bulk;
  Direction direction = Direction::load;
  std::int64_t tile = 1024;
  std::int64_t stages = 1;  ///< buffers of a CTA
  std::int64_t ctas_per_sm = 1;
  std::int64_t cluster = 1;   ///< if more than 1, every CTA of a cluster gets every tile
  bool multicast = false;     ///< each CTA of a cluster loads its share of a tile for all
  std::int64_t region = 0;    ///< bytes of global memory, which are copied cyclically
  std::int64_t sm_bytes = 0;  ///< bytes that each SM copies
  std::int64_t trial = 0;
};
struct ThroughputAnswer {
  std::int64_t ctas = 0;
  std::int64_t cta_bytes = 0;  ///< bytes that each CTA copied
  double nanoseconds = 0;      ///< from the first CTA's start to the last CTA's end
};

[[nodiscard]] Experiment encode(const LatencyRequest& request);
[[nodiscard]] Experiment encode(const ThroughputRequest& request);
/// The request in an experiment. @throws std::invalid_argument naming the parameter that is missing or out of range.
[[nodiscard]] LatencyRequest decode_latency(const Experiment& experiment);
[[nodiscard]] ThroughputRequest decode_throughput(const Experiment& experiment);
[[nodiscard]] Arrays encode(const LatencyAnswer& answer);
[[nodiscard]] Arrays encode(const ThroughputAnswer& answer);
/// The answer to a request. @throws std::invalid_argument if arrays are missing, of another type or length.
[[nodiscard]] LatencyAnswer decode_result(const LatencyRequest& request, const Answer& answer);
[[nodiscard]] ThroughputAnswer decode_result(const ThroughputRequest& request, const Answer& answer);

}  // namespace tomograph::tma

#endif
