#ifndef TOMOGRAPH_SIM_GPU_TIMING_HPP
#define TOMOGRAPH_SIM_GPU_TIMING_HPP

#include <cstdint>

#include "sim/gpu/rules.hpp"

/// What the event-driven simulation of kernels needs beside caches and latencies. schemas/simulated-gpu.schema.json
/// defines every field under the same name.
namespace tomograph::sim {

class Section;
struct Gpu;

enum class WarpScheduler { lrr, gto };

/// The network between SMs and slices of the L2. Rates in bytes per cycle.
struct NocTiming {
  double sm_request = 32;   ///< of each SM's port towards the slices
  double sm_reply = 32;     ///< of each SM's port for replies
  double slice_reply = 32;  ///< of each slice's port for replies
  double header = 8;        ///< bytes of a packet beside its data
};

struct L2Timing {
  std::int64_t mshrs = 128;       ///< of each slice
  std::int64_t interleave = 256;  ///< consecutive bytes of one slice
  double request_cycles = 1;      ///< for which a request occupies its slice
};

/// One channel for each slice of the L2.
struct DramTiming {
  double bandwidth = 0;  ///< bytes per second, all channels together
  std::int64_t banks = 16;
  std::int64_t row = 2048;        ///< bytes of a bank's row
  double row_miss_cycles = 40;    ///< to close a row and open another
  double turnaround_cycles = 10;  ///< of the bus between reads and writes
  std::int64_t window = 32;       ///< requests among which a channel chooses
};

struct Timing {
  WarpScheduler scheduler = WarpScheduler::lrr;
  std::int64_t schedulers = 4;
  std::int64_t issue_width = 1;  ///< instructions of one warp that a scheduler issues per cycle
  std::int64_t max_warps = 64;
  std::int64_t max_ctas = 32;
  std::int64_t l1_mshrs = 128;
  std::int64_t load_queue = 8;  ///< instructions that wait for the L1
  NocTiming noc;
  L2Timing l2;
  DramTiming dram;
};

[[nodiscard]] Timing read_timing(const Section& section);

/// The first broken rule of `gpu.timing`, or nothing.
[[nodiscard]] Broken timing_violation(const Gpu& gpu);

/// What accesses take that meet no others: cycles of the way between the parts that serve them, such that a fetch of
/// the L1 takes exactly the latencies of the description.
struct Ways {
  std::int64_t to_slice = 0;
  std::int64_t from_slice = 0;
  std::int64_t to_memory = 0;
  std::int64_t from_memory = 0;
};
[[nodiscard]] Ways ways(const Gpu& gpu);

/// Bytes per cycle of one memory channel.
[[nodiscard]] double channel_rate(const Gpu& gpu);

/// Bytes of memory that a miss of the L1 fetches; of a GPU without L1, a sector of the L2.
[[nodiscard]] std::int64_t l1_fetch(const Gpu& gpu);

}  // namespace tomograph::sim

#endif
