#include "published.hpp"

#include <algorithm>
#include <cmath>

namespace tomograph::mdm {

namespace {

bool is_one_of(Variant variant, Variant a, Variant b) { return variant == a || variant == b; }

/// Sum of ceil(j / h) for j = 1 .. r, where r need not be whole: its last part counts as a part of a miss.
double sum_of_batches(double r, double h) {
  const double full = std::floor(r / h);
  return h * full * (full + 1) / 2 + (r - full * h) * (full + 1);
}

/// GPUMech's wait for an MSHR, on average over the misses: x (1/R) sum of ceil(j/H), less the x of the last batch.
double average_wait(double x, double misses, double outstanding) {
  return misses <= outstanding ? 0 : x * (sum_of_batches(misses, outstanding) / misses - 1);
}

/// GPUMech's queue of memory: M/D/1 below saturation, half of the requests in flight beyond (Huang et al. 2014).
double gpumech_dram_queue(const Machine& machine, const kernel::Profile& profile, const kernel::Interval& interval,
                          double warps) {
  const double service = dram_service(machine, static_cast<double>(profile.miss_bytes), 1);
  const double m = profile.llc_miss_ratio;
  const kernel::Interval of_memory{.read_misses = m * interval.read_misses, .write_misses = m * interval.write_misses};
  const double latency = uncontended_latency(machine, m);
  const double requests = concurrent_misses(of_memory, warps, machine.outstanding_misses) * machine.sms;
  const double load = requests * service / latency;
  return load < 1 ? requests / latency * service * service / (2 * (1 - load)) : requests * service / 2;
}

Contention gpumech(const Machine& machine, const kernel::Profile& profile, const kernel::Interval& interval,
                   double warps) {
  return {.mshr = average_wait(uncontended_latency(machine, profile.llc_miss_ratio), interval.read_misses * warps,
                               machine.outstanding_misses),
          .noc = 0,
          .dram = gpumech_dram_queue(machine, profile, interval, warps)};
}

double ipc_of(const Machine& machine, double instructions, double warps, double cycles) {
  return machine.sms * std::min(machine.issue_width, warps * instructions / cycles);
}

}  // namespace

double noc_service(const Machine& machine, double miss_bytes) {
  return machine.clock_hz * miss_bytes / machine.noc_bandwidth;
}

double dram_service(const Machine& machine, double miss_bytes, double llc_miss_ratio) {
  return machine.clock_hz * llc_miss_ratio * miss_bytes / machine.dram_bandwidth;
}

double concurrent_misses(const kernel::Interval& interval, double warps, double outstanding_misses) {
  return std::min(interval.read_misses * warps, outstanding_misses) + interval.write_misses * warps;
}

double uncontended_latency(const Machine& machine, double llc_miss_ratio) {
  return machine.llc_latency + llc_miss_ratio * machine.dram_latency;
}

Contention contention(Variant variant, const Machine& machine, const kernel::Profile& profile,
                      const kernel::Interval& interval, double warps) {
  if (variant == Variant::gpumech) return gpumech(machine, profile, interval, warps);
  const double misses = interval.read_misses * warps;
  const bool divergent = misses > machine.outstanding_misses;
  const double waiting = machine.sms * concurrent_misses(interval, warps, machine.outstanding_misses) *
                         (divergent && is_one_of(variant, Variant::mdm_queue, Variant::mdm) ? 1 : 0.5);
  const auto bytes = static_cast<double>(profile.miss_bytes);
  Contention stalls;
  stalls.noc = waiting * noc_service(machine, bytes);
  stalls.dram = waiting * dram_service(machine, bytes, profile.llc_miss_ratio);
  const double memory = uncontended_latency(machine, profile.llc_miss_ratio) + stalls.noc + stalls.dram;
  if (is_one_of(variant, Variant::mdm_mshr, Variant::mdm)) {
    stalls.mshr = divergent ? (std::ceil(misses / machine.outstanding_misses) - 1) * memory : 0;
  } else {
    stalls.mshr = average_wait(memory, misses, machine.outstanding_misses);
  }
  return stalls;
}

std::vector<double> non_overlapped(Scheduler scheduler, const Machine& machine, const kernel::Profile& profile,
                                   double warps) {
  const double w = machine.issue_width;
  double instructions = 0;
  double stalls = 0;
  for (const kernel::Interval& interval : profile.intervals) {
    instructions += interval.instructions;
    stalls += interval.stall;
  }
  const double p = instructions / (instructions / w + stalls);
  const double mean = instructions / static_cast<double>(profile.intervals.size());
  std::vector<double> result;
  for (const kernel::Interval& interval : profile.intervals) {
    if (scheduler == Scheduler::round_robin) {
      result.push_back(p *
                       ((warps - 1) * (interval.instructions - 1) + std::max(0.0, (warps - 1) / w - interval.stall)));
    } else {
      const double q = interval.stall == 0 ? 1 : std::min(1.0, p * interval.stall);
      result.push_back(std::max(0.0, q * (warps - 1) * mean - w * interval.stall));
    }
  }
  return result;
}

double resident_warps(const Machine& machine, const kernel::Profile& profile) {
  const double of_one_wave = std::ceil(static_cast<double>(profile.ctas) / machine.sms);
  return static_cast<double>(profile.warps_per_cta) * std::min(resident_ctas(machine, profile), of_one_wave);
}

PublishedPrediction predict(Variant variant, Scheduler scheduler, const Machine& machine,
                            const kernel::Profile& profile) {
  const double warps = resident_warps(machine, profile);
  const std::vector<double> others = non_overlapped(scheduler, machine, profile, warps);
  PublishedPrediction prediction;
  Stack& stack = prediction.stack;
  double instructions = 0;
  for (std::size_t i = 0; i < profile.intervals.size(); ++i) {
    const kernel::Interval& interval = profile.intervals[i];
    const Contention stalls = contention(variant, machine, profile, interval, warps);
    instructions += interval.instructions;
    stack.issue += interval.instructions / machine.issue_width;
    stack.latency += interval.stall;
    stack.warps += others[i] / machine.issue_width;
    stack.mshr += stalls.mshr;
    stack.noc += stalls.noc;
    stack.dram += stalls.dram;
  }
  prediction.ipc = ipc_of(machine, instructions, warps, stack.sum());
  prediction.cycles =
      static_cast<double>(profile.ctas * profile.warps_per_cta) * profile.traffic.instructions / prediction.ipc;
  return prediction;
}

}  // namespace tomograph::mdm
