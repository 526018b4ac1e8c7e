#ifndef TOMOGRAPH_TMA_KINDS_HPP
#define TOMOGRAPH_TMA_KINDS_HPP

#include <array>
#include <cstddef>
#include <cstdint>

#include "methods.hpp"

/// The kinds of copies that the probes measure, and the facts about each kind.
namespace tomograph::tma {

struct LatencyKind {
  const char* key;  ///< of the latency; empty if it is not published
  Method method;
  Direction direction;
};
inline constexpr std::array latency_kinds{LatencyKind{"tma.latency", Method::bulk, Direction::load},
                                          LatencyKind{"tma.tensor.latency", Method::tensor, Direction::load},
                                          LatencyKind{"tma.store.latency", Method::bulk, Direction::store},
                                          LatencyKind{"tma.tensor.store.latency", Method::tensor, Direction::store},
                                          LatencyKind{"", Method::cp_async, Direction::load},
                                          LatencyKind{"", Method::plain, Direction::load}};

/// Where tiles lie in global memory.
enum class Place { dram, l2 };

struct ThroughputKind {
  const char* key;          ///< of the bandwidth; empty if it is not published
  const char* by_tile_key;  ///< of the bandwidth by tile
  Method method;
  Direction direction;
  Place place;
};
inline constexpr std::array throughput_kinds{
    ThroughputKind{"tma.bandwidth", "tma.bandwidth_by_tile", Method::bulk, Direction::load, Place::dram},
    ThroughputKind{"tma.tensor.bandwidth", "tma.tensor.bandwidth_by_tile", Method::tensor, Direction::load,
                   Place::dram},
    ThroughputKind{"tma.store.bandwidth", "tma.store.bandwidth_by_tile", Method::bulk, Direction::store, Place::dram},
    ThroughputKind{"tma.bandwidth.l2", "tma.l2_bandwidth_by_tile", Method::bulk, Direction::load, Place::l2},
    ThroughputKind{"", "tma.cp_async_l2_bandwidth_by_tile", Method::cp_async, Direction::load, Place::l2},
    ThroughputKind{"", "tma.plain_l2_bandwidth_by_tile", Method::plain, Direction::load, Place::l2}};
/// Positions in `throughput_kinds`.
inline constexpr std::size_t bulk_from_memory = 0;
inline constexpr std::size_t bulk_from_l2 = 3;
inline constexpr std::size_t cp_async_from_l2 = 4;
inline constexpr std::size_t plain_from_l2 = 5;

/// Repeated runs of each configuration whose bandwidth is published.
inline constexpr std::int64_t throughput_trials = 5;

}  // namespace tomograph::tma

#endif
