#include "tomograph/kernel/profile.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "cache_contents.hpp"
#include "functional_pass.hpp"
#include "issue.hpp"
#include "tomograph/kernel/address_walk.hpp"

namespace tomograph::kernel {

namespace {

/// Warps among which the representative one is sought.
constexpr std::int64_t candidates = 256;

/// Zeros if there are no warps.
WarpTraffic mean(const WarpTraffic& sum, std::int64_t warps) {
  WarpTraffic mean;
  if (warps > 0) add(mean, sum, 1 / static_cast<double>(warps));
  return mean;
}

/// A short list of instructions leaves parts empty.
std::vector<WarpTraffic> first_parts(const FunctionalPass& pass) {
  std::vector<WarpTraffic> parts;
  for (const WarpTraffic& part : pass.first) {
    if (part.instructions > 0) parts.push_back(mean(part, pass.first_warps));
  }
  return parts;
}

WarpShape shape_of(const std::vector<Interval>& intervals) {
  double cycles = 0;
  double instructions = 0;
  for (const Interval& interval : intervals) {
    cycles += interval.instructions + interval.stall;
    instructions += interval.instructions;
  }
  return {instructions, instructions / cycles};
}

/// Of the warps of CTAs that are spread evenly over those that have passed.
std::vector<Interval> intervals_of_representative(const Trace& trace, const FunctionalPass& pass,
                                                  const ProfiledMachine& machine) {
  const std::int64_t per_cta = trace.launch().warps_per_cta;
  const std::int64_t passed = pass.warps() / per_cta;
  const std::int64_t ctas = std::clamp<std::int64_t>(candidates / per_cta, 1, passed);
  std::vector<WarpShape> shapes;
  std::vector<std::vector<Interval>> all;
  for (std::int64_t i = 0; i < ctas; ++i) {
    for (std::uint32_t warp = 0; warp < per_cta; ++warp) {
      auto intervals =
          intervals_of(trace.warp(static_cast<std::uint32_t>(i * passed / ctas), warp), pass.accesses, machine);
      if (intervals.empty()) continue;
      shapes.push_back(shape_of(intervals));
      all.push_back(std::move(intervals));
    }
  }
  if (shapes.empty()) throw std::invalid_argument("no warp of " + trace.launch().name + " has an instruction");
  return std::move(all[representative(shapes)]);
}

double busiest_share(const std::unordered_map<std::uint64_t, double>& accesses) {
  double most = 0;
  double all = 0;
  for (const auto& [place, count] : accesses) {
    most = std::max(most, count);
    all += count;
  }
  return all > 0 ? most / all : 0;
}

constexpr std::uint64_t low_bits(std::size_t count) { return (std::uint64_t{1} << count) - 1; }

/// The parities and, above them, the bits of the number that the page of an address inverts.
std::uint64_t inverted_by_page(const SliceFunction& function, std::uint64_t address) {
  constexpr unsigned page_bits = 21;  // l2-slices measures within pages of 2 MiB
  const auto reaches = [](std::uint64_t mask) { return mask >> (page_bits - 1) != 0; };
  if (std::ranges::none_of(function.parities, reaches) && std::ranges::none_of(function.number, reaches)) return 0;
  const auto page = static_cast<std::uint32_t>(address >> page_bits);
  return page == 0 ? 0 : mix(page);
}

/// Time of the longest warp of a CTA by that of the mean warp.
double imbalance_of(const FunctionalPass& pass, const WarpTraffic& all, std::uint32_t warps_per_cta) {
  const double ratio = pass.longest_cycles * warps_per_cta / all.cycles;
  return std::max(1.0, ratio);  // the mean is rounded
}

}  // namespace

std::optional<std::string> violation(const Profile& profile) {
  if (profile.intervals.empty()) return "has no intervals";
  if (profile.ctas < 1 || profile.warps_per_cta < 1 || profile.ctas_per_sm < 1) return "has no warps";
  if (profile.miss_bytes < 1) return "has misses of no bytes";
  if (!(profile.imbalance >= 1 && std::isfinite(profile.imbalance))) return "has an imbalance below 1";
  if (!(profile.llc_miss_ratio >= 0 && profile.llc_miss_ratio <= 1)) return "has an llc_miss_ratio beyond 0 to 1";
  if (profile.traffic.cycles < profile.traffic.instructions) return "has fewer cycles than instructions";
  for (const Interval& interval : profile.intervals) {
    for (const double value : {interval.stall, interval.read_misses, interval.write_misses}) {
      if (!std::isfinite(value) || value < 0) return "has an interval with a negative number";
    }
    if (!std::isfinite(interval.instructions) || interval.instructions <= 0)
      return "has an interval without instructions";
    if (!(interval.waits_for_miss >= 0 && interval.waits_for_miss <= 1)) return "has a waits_for_miss beyond 0 to 1";
  }
  return std::nullopt;
}

WarpTraffic traffic_of_intervals(const Profile& profile) {
  WarpTraffic traffic;
  for (const Interval& interval : profile.intervals) {
    traffic.instructions += interval.instructions;
    traffic.cycles += interval.instructions + interval.stall;
    traffic.waits += interval.waits_for_miss;
    traffic.waiting += interval.stall * interval.waits_for_miss;
    traffic.read_misses += interval.read_misses;
    traffic.write_misses += interval.write_misses;
  }
  traffic.l1_accesses = traffic.read_misses;
  traffic.l1_passes = traffic.l1_accesses;
  traffic.read_requests = traffic.read_misses;
  traffic.write_requests = traffic.write_misses;
  traffic.memory_reads = profile.llc_miss_ratio * traffic.read_misses;
  traffic.memory_requests = traffic.memory_reads;
  traffic.memory_writes = profile.llc_miss_ratio * traffic.write_misses;
  traffic.memory_write_requests = traffic.memory_writes;
  return traffic;
}

std::uint64_t SliceFunction::operator()(std::uint64_t address) const {
  const std::uint64_t inverted = inverted_by_page(*this, address);
  const std::uint64_t own = (kernel::parities(address, parities) ^ inverted) & low_bits(parities.size());
  const std::uint64_t of_number =
      (kernel::parities(address, number) ^ inverted >> parities.size()) & low_bits(number.size());
  return of_number % divided_by << parities.size() | own;
}

std::int64_t resident_ctas(const Launch& launch, const ProfiledMachine& machine) {
  return std::min({static_cast<std::int64_t>(launch.ctas_per_sm), machine.max_ctas_per_sm,
                   machine.max_warps_per_sm / static_cast<std::int64_t>(launch.warps_per_cta)});
}

Profile profile(const Trace& trace, const ProfiledMachine& machine, std::int64_t warm_passes, std::int64_t most_warps) {
  const FunctionalPass pass = functional_pass(trace, machine, warm_passes, most_warps);
  const Launch& launch = trace.launch();
  const WarpTraffic all = total(pass);
  double misses = 0;
  for (const AccessCounts& access : pass.accesses) misses += access.misses;
  return {.name = launch.name,
          .ctas = launch.ctas,
          .warps_per_cta = launch.warps_per_cta,
          .ctas_per_sm = resident_ctas(launch, machine),
          .miss_bytes = machine.miss_bytes,
          .llc_miss_ratio = misses > 0 ? pass.llc_misses / misses : 0,
          .intervals = intervals_of_representative(trace, pass, machine),
          .traffic = mean(all, pass.warps()),
          .first_parts = first_parts(pass),
          .later = mean(pass.later, pass.later_warps),
          .imbalance = imbalance_of(pass, all, launch.warps_per_cta),
          .busiest_atomics = busiest_share(pass.atomics),
          .busiest_loads = busiest_share(pass.loads),
          .busiest_stores = busiest_share(pass.stores)};
}

}  // namespace tomograph::kernel
