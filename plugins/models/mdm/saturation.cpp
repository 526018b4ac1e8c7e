#include "saturation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <span>
#include <vector>

#include "published.hpp"

namespace tomograph::mdm {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

double& of(std::array<double, stations>& values, Station station) { return values[static_cast<std::size_t>(station)]; }

/// Cycles of `requests` for `units` at so many requests per cycle for single units and bytes per cycle of whole lines.
/// A request for a part of a line takes proportionally longer than one for a unit.
double accessing(double single_units, double stream, double line_bytes, double requests, double units, double unit) {
  const double least = requests / single_units;
  if (stream <= 0) return least;
  const double as_stream = units * unit / stream;
  if (unit >= line_bytes) return std::max(least, as_stream);
  const double more_of_line = std::max(0.0, line_bytes / stream - 1 / single_units) / (line_bytes / unit - 1);
  return std::max(as_stream, least + std::max(0.0, units - requests) * more_of_line);
}

double reading(const Rate& rate, double line_bytes, double requests, double units, double unit) {
  return accessing(rate.gather, rate.stream, line_bytes, requests, units, unit);
}

double writing(const Rate& rate, double line_bytes, double requests, double units, double unit) {
  return accessing(rate.scatter > 0 ? rate.scatter : rate.gather, rate.write, line_bytes, requests, units, unit);
}

/// SMs, each with as many warps, that execute the same part of their CTAs at the same time.
class Wave {
 public:
  /// The part bears the share `starts` of the start of a CTA.
  Wave(const Machine& machine, const kernel::Profile& profile, const kernel::WarpTraffic& traffic, double sms,
       double warps, double starts)
      : machine_(machine), warps_(warps), demand_(demands(machine, profile, traffic, sms)) {
    of(demand_, Station::launch) *= starts;
    to_memory_ = traffic.read_requests > 0 ? traffic.memory_requests / traffic.read_requests : 0;
    misses_ = traffic.read_misses;
    sms_ = sms;
    instructions_ = traffic.instructions;
    lone_cycles_ = traffic.cycles;
    rounds_ = traffic.waits;
    waiting_ = traffic.waiting;
    imbalance_ = profile.imbalance;
  }

  /// Cycles that a warp takes at a rate of `x` warps per cycle. Keeps the waits.
  double time_at(double x) {
    waits_ = {};
    for (std::size_t k = 0; k < stations; ++k) utilisation_[k] = x * demand_[k];
    if (std::ranges::max(utilisation_) >= 1) return infinite;
    of(waits_, Station::issue) = instructions_ * others_of_scheduler() * bulk_wait(1, of(utilisation_, Station::issue));
    if (rounds_ > 0) wait_for_memory(x);
    double time = lone_cycles_;
    for (const double wait : waits_) time += wait;
    return time;
  }

  /// The same for a CTA, and for `turnover` cycles until its successor starts.
  double place_time_at(double x, double turnover) {
    const double time = time_at(x);
    if (std::isinf(time)) return time;
    imbalance_wait_ = time * (imbalance_ - 1);
    double& launch = of(waits_, Station::launch);
    launch = turnover;
    if (!machine_.launch.queue.load.empty())
      launch += measured_wait(machine_.launch.queue, of(utilisation_, Station::launch));
    return time + imbalance_wait_ + launch;
  }

  /// The time from one CTA's start to the next in the same place when `warps_` warps share the SM: x with
  /// x place_time_at(x, turnover) = warps, by bisection. Where loads that nothing waits for saturate a station, no wait
  /// shows it, and the station's rate is the answer.
  double solve(double turnover) {
    double low = 0;
    double high = 1 / std::ranges::max(demand_);
    for (int i = 0; i < 100; ++i) {
      const double x = (low + high) / 2;
      (x * place_time_at(x, turnover) < warps_ ? low : high) = x;
    }
    const double time = place_time_at(low, turnover);
    const double slowest = std::max(time, warps_ / low);
    of(waits_, bottleneck()) += slowest - time;
    return slowest;
  }

  /// Of a warp, and its cycles if it is alone.
  [[nodiscard]] double instructions() const { return instructions_; }
  [[nodiscard]] double lone_cycles() const { return lone_cycles_; }
  /// Cycles for which a place waits for its longest warp after the mean one has ended.
  [[nodiscard]] double imbalance() const { return imbalance_wait_; }
  [[nodiscard]] const std::array<double, stations>& waits() const { return waits_; }
  [[nodiscard]] const std::array<double, stations>& utilisation() const { return utilisation_; }
  [[nodiscard]] Station bottleneck() const {
    return static_cast<Station>(std::ranges::max_element(utilisation_) - utilisation_.begin());
  }
  /// What starting together adds once: see saturation.hpp.
  [[nodiscard]] double ramp() const {
    return rounds_ > 0 ? std::min(waiting_, warps_ * std::ranges::max(demand_)) / rounds_ : 0;
  }

 private:
  void wait_for_memory(double x) {
    wait_within_sm({}, Station::l1);
    wait_within_sm(machine_.noc_queue, Station::noc);
    of(waits_, Station::l2) = rounds_ * shared_wait(machine_.llc_queue, Station::l2);
    of(waits_, Station::dram) = rounds_ * to_memory_ * shared_wait(machine_.dram_queue, Station::dram);
    double latency = machine_.llc_latency + to_memory_ * machine_.dram_latency;
    for (const Station k : {Station::noc, Station::l2, Station::dram}) latency += of(waits_, k) / rounds_;
    const double servers = std::max(1.0, machine_.outstanding_misses * rounds_ / misses_);
    const double u = x * misses_ * latency / machine_.outstanding_misses;
    of(utilisation_, Station::mshr) = u;
    of(waits_, Station::mshr) = rounds_ * parallel_wait(latency, servers, u);
  }

  /// Waits for the bursts of other warps, and for the rest of its own.
  void wait_within_sm(const QueueingCurve& curve, Station station) {
    const double burst = of(demand_, station) / rounds_;
    const double u = of(utilisation_, station);
    const double queue = curve.load.empty() ? others() * bulk_wait(burst, u) : measured_wait(curve, u);
    of(waits_, station) = rounds_ * (queue + std::max(0.0, burst - 1));
  }

  /// Share of a station's customers that are not of the warp itself (Sevcik and Mitrani 1981: a customer meets the
  /// queue of the others).
  [[nodiscard]] double others() const { return 1 - 1 / warps_; }
  /// The same of the warp's scheduler. Each of them issues one instruction per cycle for its own warps.
  [[nodiscard]] double others_of_scheduler() const { return std::max(0.0, 1 - machine_.issue_width / warps_); }

  [[nodiscard]] double shared_wait(const QueueingCurve& curve, Station station) {
    const double u = of(utilisation_, station);
    return curve.load.empty() ? bulk_wait(of(demand_, station) / rounds_ / sms_, u) : measured_wait(curve, u);
  }

  const Machine& machine_;
  double warps_;
  std::array<double, stations> demand_;
  std::array<double, stations> waits_{};
  std::array<double, stations> utilisation_{};
  double to_memory_ = 0;
  double misses_ = 0;
  double sms_ = 1;
  double instructions_ = 0;
  double lone_cycles_ = 0;
  double rounds_ = 0;   ///< gaps that wait for a miss
  double waiting_ = 0;  ///< cycles of these gaps
  double imbalance_ = 1;
  double imbalance_wait_ = 0;
};

void add(SaturationPrediction& prediction, const Wave& wave, double times) {
  prediction.issue += times * wave.instructions();
  prediction.latency += times * (wave.lone_cycles() - wave.instructions());
  prediction.imbalance += times * wave.imbalance();
  for (std::size_t k = 0; k < stations; ++k) prediction.waits[k] += times * wave.waits()[k];
}

const char* limit_of(const SaturationPrediction& prediction) {
  double waits = 0;
  for (const double wait : prediction.waits) waits += wait;
  if (prediction.latency + prediction.issue > waits) return "latency";
  const auto busiest = std::ranges::max_element(prediction.utilisation) - prediction.utilisation.begin();
  return station_names[static_cast<std::size_t>(busiest)];
}

/// Cycles for which a warp's instructions occupy the issue of an SM, or the busiest of its units.
double issuing(const Machine& machine, const kernel::WarpTraffic& traffic) {
  double cycles = traffic.instructions / machine.issue_width;
  for (std::size_t i = 0; i < kernel::operation_count; ++i) {
    cycles = std::max(cycles, traffic.operations[i] * machine.unit_cycles[i]);
  }
  return cycles;
}

/// How much longer accesses take than if all slices got as many of them.
double crowding(const Machine& machine, double busiest) { return std::max(1.0, machine.llc_slices * busiest); }

/// Cycles that the L2 takes for stores of a warp. It reads a sector to write a part of it, as for a reduction: an H200
/// takes 49 to 54 such sectors per cycle, 51 reductions, and 76 whole sectors.
double storing(const Machine& machine, const kernel::WarpTraffic& traffic, double unit) {
  const double all = writing(machine.llc, machine.line_bytes, traffic.write_requests, traffic.write_misses, unit);
  return machine.llc_reductions > 0 ? std::max(all, traffic.partial_sectors / machine.llc_reductions) : all;
}

/// Share of its rate that a slice reaches when requests to all slices wait in the same queues, one of each SM: the
/// first of a queue holds up those behind it. A single slice reaches all.
double behind_others(const Machine& machine, double busiest) {
  constexpr double of_many = 2 - std::numbers::sqrt2;  // Karol, Hluchyj and Morgan 1987
  return machine.llc_slices > 0 ? of_many + (1 - of_many) * busiest : 1;
}

/// Cycles that atomics of a warp take. The L2 executes those of one slice one after the other.
double executing_atomics(const Machine& machine, const kernel::Profile& profile, const kernel::WarpTraffic& traffic) {
  const double sectors = traffic.atomic_sectors + traffic.reduction_sectors;
  if (sectors == 0 || machine.llc_atomics == 0) return 0;
  double together = traffic.atomic_sectors / machine.llc_atomics;
  if (traffic.reduction_sectors > 0) together += traffic.reduction_sectors / machine.llc_reductions;
  if (machine.line_atomics == 0) return together;
  const double busiest = profile.busiest_atomics;
  return std::max(together, sectors * busiest / (machine.line_atomics * behind_others(machine, busiest)));
}

}  // namespace

std::array<double, stations> demands(const Machine& machine, const kernel::Profile& profile,
                                     const kernel::WarpTraffic& traffic, double sms) {
  const auto unit = static_cast<double>(profile.miss_bytes);
  std::array<double, stations> demand{};
  of(demand, Station::issue) = issuing(machine, traffic);
  of(demand, Station::l1) = std::max(traffic.l1_accesses / machine.l1_lines, traffic.l1_passes / machine.l1_passes);
  const auto per_cta = static_cast<double>(profile.warps_per_cta);
  of(demand, Station::launch) = sms * machine.launch.cycles_of(per_cta) / per_cta;
  if (machine.sm_requests > 0) of(demand, Station::noc) = traffic.read_requests / machine.sm_requests;
  // Data come and go on separate networks, but share the bus of memory.
  of(demand, Station::l2) =
      sms * std::max({reading(machine.llc, machine.line_bytes, traffic.read_requests, traffic.read_misses, unit) *
                          crowding(machine, profile.busiest_loads),
                      storing(machine, traffic, unit) * crowding(machine, profile.busiest_stores),
                      executing_atomics(machine, profile, traffic)});
  of(demand, Station::dram) =
      sms * (reading(machine.dram, machine.line_bytes, traffic.memory_requests, traffic.memory_reads, unit) +
             writing(machine.dram, machine.line_bytes, traffic.memory_write_requests, traffic.memory_writes, unit));
  return demand;
}

double measured_wait(const QueueingCurve& curve, double u) {
  const auto& loads = curve.load;
  const auto above = std::ranges::upper_bound(loads, u);
  if (above == loads.begin()) return 0;
  // Latencies are measured, so that one may be below that of the lowest load; a wait is not.
  const auto wait_at = [&](std::size_t point) { return std::max(0.0, curve.latency[point] - curve.latency.front()); };
  const auto last = static_cast<std::size_t>(above - loads.begin()) - 1;
  const double wait = wait_at(last);
  if (above == loads.end()) return loads[last] < 1 ? wait * (1 - loads[last]) / (1 - u) : wait / (1 - u);
  const double share = (u - loads[last]) / (*above - loads[last]);
  return wait + share * (wait_at(last + 1) - wait);
}

double bulk_wait(double service, double u) { return u < 1 ? service * u / (2 * (1 - u)) : infinite; }

double parallel_wait(double service, double servers, double u) {
  return u < 1 ? service / (2 * servers) * std::pow(u, std::sqrt(2 * (servers + 1)) - 1) / (1 - u) : infinite;
}

namespace {

/// CTAs in all their places, or in those that are left for the last ones.
struct Occupancy {
  double sms = 0;
  double warps = 0;  ///< of each SM
};

/// Adds waves one after another.
class Waves {
 public:
  Waves(const Machine& machine, const kernel::Profile& profile) : machine_(machine), profile_(profile) {}

  /// Adds `times` waves, each with `turnover` cycles until the next begins, whose warps execute `parts`.
  void add(const Occupancy& occupancy, std::span<const kernel::WarpTraffic> parts, double times, double turnover) {
    if (times <= 0) return;
    for (const kernel::WarpTraffic& part : parts) {
      Wave wave(machine_, profile_, part, occupancy.sms, occupancy.warps, 1 / static_cast<double>(parts.size()));
      const double cycles = times * wave.solve(&part == &parts.back() ? turnover : 0);
      prediction_.cycles += cycles;
      mdm::add(prediction_, wave, times);
      for (std::size_t k = 0; k < stations; ++k) prediction_.utilisation[k] += cycles * wave.utilisation()[k];
    }
  }

  /// What all waves have taken, and `ramp` cycles.
  SaturationPrediction sum(double ramp) {
    for (double& utilisation : prediction_.utilisation) utilisation /= prediction_.cycles;
    prediction_.cycles += ramp;
    prediction_.latency += ramp;
    prediction_.limit = limit_of(prediction_);
    return prediction_;
  }

 private:
  const Machine& machine_;
  const kernel::Profile& profile_;
  SaturationPrediction prediction_;
};

}  // namespace

SaturationPrediction predict_saturation(const Machine& machine, const kernel::Profile& profile) {
  const auto per_cta = static_cast<double>(profile.warps_per_cta);
  const auto ctas = static_cast<double>(profile.ctas);
  const double places = resident_ctas(machine, profile) * machine.sms;
  const double full_waves = std::floor(ctas / places);
  const double rest = ctas - full_waves * places;
  const Occupancy full{machine.sms, per_cta * places / machine.sms};
  // As many SMs as would be full with the CTAs of the fullest, so that the work of all SMs is right.
  const double ctas_of_sm = std::ceil(rest / machine.sms);
  const Occupancy last = rest > 0 ? Occupancy{rest / ctas_of_sm, per_cta * ctas_of_sm} : full;
  const std::span whole(&profile.traffic, 1);
  const std::span first = profile.first_parts.empty() ? whole : std::span(profile.first_parts);
  const std::span later = profile.later.instructions > 0 ? std::span(&profile.later, 1) : whole;
  // No CTA follows those of the last wave.
  const double turnover = machine.launch.turnover;
  const double waves = std::ceil(ctas / places);
  Waves all(machine, profile);
  all.add(waves > 1 ? full : last, first, 1, waves > 1 ? turnover : 0);
  all.add(full, later, waves - 2, turnover);
  if (waves > 1) all.add(last, later, 1, 0);
  const Occupancy& begin = waves > 1 ? full : last;
  const Wave mean(machine, profile, profile.traffic, begin.sms, begin.warps, 1);
  SaturationPrediction prediction = all.sum(mean.ramp());
  prediction.ipc = ctas * per_cta * profile.traffic.instructions / prediction.cycles;
  return prediction;
}

}  // namespace tomograph::mdm
