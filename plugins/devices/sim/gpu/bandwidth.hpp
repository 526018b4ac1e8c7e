#ifndef TOMOGRAPH_SIM_GPU_BANDWIDTH_HPP
#define TOMOGRAPH_SIM_GPU_BANDWIDTH_HPP

#include <array>
#include <cstdint>
#include <optional>

#include "sim/gpu/rules.hpp"
#include "sim/gpu/sm_groups.hpp"

/// The streaming rates of a simulated GPU. schemas/simulated-gpu.schema.json defines every field under the same name.
namespace tomograph::sim {

class Section;

/// Of all SMs together; copies count bytes read plus bytes written.
struct StreamingRates {
  double read = 0;
  double write = 0;
  double copy = 0;
};

/// One number for each size of an element: 1, 2, 4, 8 and 16 B.
using ByElement = std::array<double, 5>;

/// The entry of `values` for elements of so many bytes.
[[nodiscard]] double of_element(const ByElement& values, std::int64_t element);

/// A connection to the L2 that a group of SMs shares.
struct Port {
  SmGroups shared_by;
  double rate = 0;  ///< bytes per cycle
};

/// Cycles that a level is busy with one request. Other requests wait.
struct Service {
  double l2 = 0;
  double dram = 0;
};

struct Bandwidth {
  std::int64_t max_warps = 64;
  std::int64_t max_ctas = 32;
  ByElement access_cycles{1, 1, 1, 1, 1};   ///< of an SM for one access of a warp
  double turn_cycles = 0;                   ///< between two turns of a warp, in addition to the latency
  std::optional<ByElement> request_cycles;  ///< between two turns of a warp that reads memory; replaces the latency
  Service service;
  double l1 = 0;  ///< bytes per cycle that an SM reads from its L1
  /// The same through other paths, from the first cache of each. Absent: such reads are not simulated.
  std::optional<double> read_only;
  std::optional<double> texture;
  std::optional<double> constant;
  double sm = 0;             ///< bytes per cycle that an SM exchanges with L2
  std::optional<Port> port;  ///< absent: no SMs share a connection
  StreamingRates l2;         ///< bytes per cycle
  StreamingRates dram;       ///< bytes per second
  double sigma = 0;          ///< standard deviation of times, as a share of them
};

[[nodiscard]] Bandwidth read_bandwidth(const Section& section, std::int64_t sm_count);

/// The first broken rule of `bandwidth`, or nothing.
[[nodiscard]] Broken violation(const Bandwidth& bandwidth, std::int64_t sm_count);

}  // namespace tomograph::sim

#endif
