#ifndef TOMOGRAPH_SIM_GPU_BANDWIDTH_HPP
#define TOMOGRAPH_SIM_GPU_BANDWIDTH_HPP

#include <cstdint>

#include "sim/gpu/rules.hpp"

/// How fast a simulated GPU streams, as a value. schemas/simulated-gpu.schema.json defines the meaning of every field;
/// names are the same in both.
namespace tomograph::sim {

class Section;

/// Of all SMs together; copies count bytes read plus bytes written.
struct StreamingRates {
  double read = 0;
  double write = 0;
  double copy = 0;
};

struct Bandwidth {
  std::int64_t max_warps = 64;
  std::int64_t max_ctas = 32;
  double access_cycles = 1;  ///< that an SM takes for one access of a warp, however narrow
  double l1 = 0;             ///< bytes per cycle that an SM reads from its L1
  double sm = 0;             ///< bytes per cycle that an SM exchanges with L2
  StreamingRates l2;         ///< bytes per cycle
  StreamingRates dram;       ///< bytes per second
  double sigma = 0;          ///< standard deviation of times, as a share of them
};

[[nodiscard]] Bandwidth read_bandwidth(const Section& section);

/// The first broken rule of `bandwidth`, or nothing.
[[nodiscard]] Broken violation(const Bandwidth& bandwidth);

}  // namespace tomograph::sim

#endif
