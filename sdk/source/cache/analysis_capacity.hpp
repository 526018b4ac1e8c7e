#ifndef TOMOGRAPH_CACHE_ANALYSIS_CAPACITY_HPP
#define TOMOGRAPH_CACHE_ANALYSIS_CAPACITY_HPP

#include <cstdint>
#include <span>
#include <vector>

#include "tomograph/cache/capacity.hpp"

/// From what footprints retain to a capacity, without a device.
namespace tomograph::cache {

/// Lines up to which every line of a footprint is tested.
inline constexpr std::int64_t counted_lines = 4096;
/// A test that misses evicts another line, so one program tests at most this part of the capacity.
inline constexpr std::int64_t undisturbed_part = 32;

/// Bytes with a standard error.
struct Estimate {
  double bytes = 0;
  double error = 0;
};

/// Whether the footprint fits: no more nodes missed than misread loads explain.
/// False alarms: a footprint that fits is called too large with a probability of at most 9 %, where 0.1 misread loads
/// are expected, 4 % at 0.3 of them, and 1.5 % from one on (Poisson).
[[nodiscard]] bool fits(const Retained& seen, const analysis::Threshold& threshold);

/// Where the knee lies, from neighbouring sizes around it, in bytes. All 0 if the first one does not fit.
struct KneeBytes {
  std::int64_t last = 0;         ///< the last size that rather fits than not
  std::int64_t surely_fits = 0;  ///< the last before one that may not fit
  std::int64_t may_fit = 0;      ///< the last before one that surely does not
};

/// Judges each of `ascending` by how much likelier its misses are if it has one line too many than if it fits. A set
/// with a line too many lacks at least one line in each repeat, under any policy; the smaller sizes show how many loads
/// are misread. "Surely" means 100 times likelier.
[[nodiscard]] KneeBytes knee_of(std::span<const SweepPoint> ascending, const analysis::Threshold& threshold);

/// Footprints from just above the knee to several times the capacity. Just above it, an uneven index leaves the most
/// lines, which matters where all are counted.
[[nodiscard]] std::vector<std::int64_t> overfull_sizes(std::int64_t first_miss_bytes, std::int64_t stride,
                                                       std::int64_t largest);

/// Fills in what `overfull` footprints retained, whether they form a plateau and whether the knee is sharp. `result`
/// knows first_miss_bytes. A plateau needs a cache that is not `shared`.
void read_overfull(Capacity& result, std::span<const SweepPoint> overfull, std::int64_t stride, bool shared);

/// Whether a footprint is so much larger than the first that misses that all sets are full.
[[nodiscard]] bool is_far(std::int64_t bytes, const Capacity& capacity);

/// Corrects a plateau by footprints that were counted without disturbance. In those that made it, tests may by chance
/// have evicted as many lines. The second largest count is right, since one may have a misread load less. If the
/// largest count differs, or it is below the plateau, equal counts were chance, and there is no plateau.
void read_undisturbed(Capacity& result, std::span<const SweepPoint> counted, std::int64_t stride);

/// Takes into account how many `lines` behind a footprint were there, though nobody loaded them. They take the places
/// of lines that a plateau counts, which therefore proves nothing.
void read_behind(Capacity& result, std::int64_t lines, std::int64_t stride);

/// Takes into account what lines at random places retained: clearly more if the index takes bits that a contiguous
/// footprint does not vary.
void read_random(Capacity& result, const Estimate& at_random);

}  // namespace tomograph::cache

#endif
