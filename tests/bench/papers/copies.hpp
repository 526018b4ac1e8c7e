#ifndef TOMOGRAPH_BENCH_PAPERS_COPIES_HPP
#define TOMOGRAPH_BENCH_PAPERS_COPIES_HPP

#include "paper.hpp"

/// What Mei & Chu 2017 say of copies and banks, from the curves that --method mei2017 measures.
namespace tomograph::bench {

/// What so many warps copy at their best ILP, as a part of the most that any copy moves.
[[nodiscard]] Recovery part_of_peak(double active_warps);
/// The least ILP at which so many warps copy 95 % of what they do at their best one.
[[nodiscard]] Recovery saturating_ilp(double active_warps);
/// Whether more warps never copy less shared memory, at their best ILP, but for noise.
[[nodiscard]] Recovery rises_with_warps();
/// Whether a larger ILP needs no more threads for its maximum, and the largest fewer than the smallest.
[[nodiscard]] Recovery saturates_faster_with_ilp();
/// By which factor twice as many of the smallest CTAs copy more.
[[nodiscard]] Recovery gain_of_two_ctas();
/// What the largest copies move, as a part of the most that any does.
[[nodiscard]] Recovery part_of_peak_at_the_end();
/// Bytes per cycle of all banks, from the widest loads.
[[nodiscard]] Recovery bank_rate();
/// The same of an SM, in 1e9 bytes per second.
[[nodiscard]] Recovery product_of_banks();
/// Copies of shared memory as a part of what the banks deliver.
[[nodiscard]] Recovery efficiency_of_banks();
/// Warps that fill the banks of an SM with one load each: latency x throughput (Little's law).
[[nodiscard]] Recovery warps_to_fill_banks();

}  // namespace tomograph::bench

#endif
