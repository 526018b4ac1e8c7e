#ifndef TOMOGRAPH_MDM_PUBLISHED_HPP
#define TOMOGRAPH_MDM_PUBLISHED_HPP

#include "machine.hpp"
#include "tomograph/kernel/profile.hpp"

/// The models of Wang et al., "Modeling Emerging Memory-Divergent GPU Applications" (IEEE CAL 2019), equations 1 to 8,
/// over the intervals of GPUMech (Huang et al., MICRO 2014).
namespace tomograph::mdm {

enum class Variant { gpumech, gpumech_plus, mdm_queue, mdm_mshr, mdm };
enum class Scheduler { round_robin, greedy_then_oldest };

/// Cycles that an SM spends on the intervals of all its warps, by cause.
struct Stack {
  double issue = 0;    ///< instructions of the representative warp
  double latency = 0;  ///< its gaps, without contention
  double warps = 0;    ///< instructions of other warps that do not fit in the gaps
  double mshr = 0;
  double noc = 0;
  double dram = 0;

  [[nodiscard]] double sum() const { return issue + latency + warps + mshr + noc + dram; }
};

struct PublishedPrediction {
  double ipc = 0;     ///< warp instructions per cycle of the GPU, equation 1
  double cycles = 0;  ///< of the whole kernel at that rate
  Stack stack;
};

/// Equations 2 and 3: cycles that the network, or memory, spends on one miss.
[[nodiscard]] double noc_service(const Machine& machine, double miss_bytes);
[[nodiscard]] double dram_service(const Machine& machine, double miss_bytes, double llc_miss_ratio);

/// Equation 4: misses of an SM that are under way at the same time, with `warps` warps.
[[nodiscard]] double concurrent_misses(const kernel::Interval& interval, double warps, double outstanding_misses);

/// Equation 6: latency of a miss without contention.
[[nodiscard]] double uncontended_latency(const Machine& machine, double llc_miss_ratio);

/// What the contention of one interval adds.
struct Contention {
  double mshr = 0;
  double noc = 0;
  double dram = 0;
};
/// Equations 5, 7 and 8, and those of the other variants.
[[nodiscard]] Contention contention(Variant variant, const Machine& machine, const kernel::Profile& profile,
                                    const kernel::Interval& interval, double warps);

/// Instructions of other warps that do not fit in the gap of each interval (Huang et al. 2014, section V).
[[nodiscard]] std::vector<double> non_overlapped(Scheduler scheduler, const Machine& machine,
                                                 const kernel::Profile& profile, double warps);

/// Warps that an SM of this machine holds while the kernel runs.
[[nodiscard]] double resident_warps(const Machine& machine, const kernel::Profile& profile);

[[nodiscard]] PublishedPrediction predict(Variant variant, Scheduler scheduler, const Machine& machine,
                                          const kernel::Profile& profile);

}  // namespace tomograph::mdm

#endif
