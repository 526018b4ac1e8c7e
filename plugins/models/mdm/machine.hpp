#ifndef TOMOGRAPH_MDM_MACHINE_HPP
#define TOMOGRAPH_MDM_MACHINE_HPP

#include <array>
#include <vector>

#include "tomograph/kernel/profile.hpp"

namespace tomograph::mdm {

/// Latency at a share of the saturated rate, from idle (0) to saturation (1). Empty: not measured.
struct QueueingCurve {
  std::vector<double> load;     ///< ascending
  std::vector<double> latency;  ///< cycles
};

/// What divergent loads and streams reach of one part of the memory system, all SMs together.
struct Rate {
  double gather = 0;   ///< requests per cycle of loads whose lines are far apart; a request is for one line or less
  double stream = 0;   ///< bytes per cycle of loads whose lines follow each other; 0: as many as the requests bring
  double write = 0;    ///< bytes per cycle of stores; 0: as many as the requests bring
  double scatter = 0;  ///< requests per cycle of stores whose lines are far apart; 0: as many as of gathers
};

/// How fast CTAs start.
struct CtaLaunch {
  std::vector<double> warps = {};   ///< of a CTA, ascending; empty: not known, CTAs start at once
  std::vector<double> cycles = {};  ///< from one start to the next, all SMs together
  double turnover = 0;              ///< cycles for which a place is empty between two CTAs
  QueueingCurve queue = {};         ///< the same by the share of the rate of starts

  /// Linear between the measured numbers of warps, in proportion to warps beyond the last, constant before the first.
  [[nodiscard]] double cycles_of(double warps_of_cta) const;
};

/// The facts of a GPU that models need. Bandwidths in B/s, latencies in cycles.
struct Machine {
  double clock_hz = 0;
  double sms = 1;
  double issue_width = 1;  ///< w: warp instructions per cycle and SM
  double max_warps_per_sm = 64;
  double max_ctas_per_sm = 32;
  double llc_latency = 0;         ///< L_LLC: of a load that the last level cache serves
  double dram_latency = 0;        ///< L_DRAM: what memory adds to it
  double noc_bandwidth = 0;       ///< B_NoC, all SMs together
  double dram_bandwidth = 0;      ///< B_DRAM
  double outstanding_misses = 0;  ///< H: per SM
  double line_bytes = 0;          ///< of a line that a stream uses whole
  double l1_lines = 1;            ///< lines per cycle that an SM looks up in its L1
  double l1_passes = 1;           ///< words per cycle that each bank of the L1 serves
  double sm_requests = 0;         ///< per cycle, of one SM alone; 0: not known, no bound
  /// Cycles for which a warp instruction occupies the units of its operation in an SM; 0: not known, no bound.
  std::array<double, kernel::operation_count> unit_cycles{};
  double llc_atomics = 0;     ///< sectors per cycle that atomics of all SMs together reach; 0: not known, no bound
  double llc_reductions = 0;  ///< the same of those whose results nobody needs
  double line_atomics = 0;    ///< the same in a single line
  double llc_slices = 0;      ///< of the last level cache; 0: not known
  CtaLaunch launch;
  Rate llc;
  Rate dram;
  QueueingCurve noc_queue;  ///< of one SM
  QueueingCurve llc_queue;
  QueueingCurve dram_queue;
};

/// CTAs of the kernel that an SM holds at the same time; 0 if not even one fits.
[[nodiscard]] double resident_ctas(const Machine& machine, const kernel::Profile& profile);

}  // namespace tomograph::mdm

#endif
