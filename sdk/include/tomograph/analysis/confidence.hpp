#ifndef TOMOGRAPH_ANALYSIS_CONFIDENCE_HPP
#define TOMOGRAPH_ANALYSIS_CONFIDENCE_HPP

#include <algorithm>

/// Maps a method and its evidence to confidence: the probability that the published value is right. No probe contains
/// such a number; a test finds those that do. A probe uses the error probability of its statistics (`from_error`), the
/// agreement of repeated measurements (confidence_from_agreement of proportion.hpp), the coverage of an interval, or an
/// entry of this file.
///
/// Each entry names the family and rows of tests/bench/accuracy that support it. These score random simulated GPUs at a
/// confidence of 0.99 or more; "unsure" marks entries below that. "H200 only": no row scores the fact, and only
/// measurements of one GPU support the entry.
namespace tomograph::confidence {

/// Probability that a method is systematically wrong on a device, which no repetition can exclude. An assumption, which
/// keeps every measured confidence below 1; no row supports it.
inline constexpr double systematic_error = 1e-4;

/// Confidence in a value that is wrong with probability `error`.
[[nodiscard]] constexpr double from_error(double error) { return 1 - std::clamp(error, systematic_error, 1.0); }

/// The remaining confidence after the error probabilities of parts, whose sum may exceed 1, were subtracted.
[[nodiscard]] constexpr double not_negative(double remaining) { return std::max(remaining, 0.0); }
/// Start value for a list, to be multiplied by the confidence of each element.
inline constexpr double empty_list = 1;

/// Values that vendor interfaces report are published unchanged. Nothing to score.
inline constexpr double vendor = 1;
/// Published methods that state no probability of error. A choice, not a measured rate.
inline constexpr double unverified = 0.5;
/// Intervals of a median are made to cover it with this probability. Derived: robust_statistics.hpp.
inline constexpr double median_interval = 0.99;

namespace cache {

/// Intervals of misread rates are made to cover them with this probability. Derived: wilson of proportion.hpp.
inline constexpr double misread_rate = 0.99;
/// Capacity from a sharp rise that the retained lines confirm. Families data_cache, private_caches: *.size.
inline constexpr double size_two_methods = 0.999;
/// Capacity from samples of a large cache, with an interval of three standard errors. Family data_cache: l2.size.
inline constexpr double size_sampled = 0.99;
/// Capacity without a sharp rise. Families data_cache, private_caches: *.size, unsure.
inline constexpr double size_soft = 0.95;
/// Capacity of a small cache whose sets were counted. Family data_cache: l1_data.size.
inline constexpr double size_counted_sets = 0.995;
/// Sets that at least eight groups confirm and random placement gives as well. Family data_cache: *.sets, *.index.
inline constexpr double sets_two_methods = 0.9995;
/// The same without random placement. Family data_cache: *.sets, *.index.
inline constexpr double sets_confirmed = 0.995;
/// Sets that fewer groups confirm, or where loads are misread. Family data_cache: *.sets, unsure.
inline constexpr double sets_unsettled = 0.9;
/// Line size of a cache in which whole ranges of the index may be evicted together. Family private_caches: *.line_size.
inline constexpr double line_in_bands = 0.95;
/// A sector as large as what a miss fetches, if that is more than the smallest sector of any known cache: a fetch may
/// bring several sectors, which loads cannot tell apart. Families data_cache, private_caches: *.sector_size, unsure.
inline constexpr double sector_of_large_fetch = 0.95;
/// A line size that is less likely is not published. A choice, not a measured rate.
inline constexpr double line_least = 0.9;
/// LRU whose protected ways could not be counted. Family data_cache: *.replacement, unsure.
inline constexpr double lru_without_survivors = 0.9;
/// Random replacement: the ways' shares pass for equal. Family data_cache: *.replacement.
inline constexpr double random_replacement = 0.995;

}  // namespace cache

namespace data_cache {

/// Usable bytes by carve-out; a test that misses evicts, so small caches come out a line low. H200 only:
/// l1_data.size_by_carveout.
inline constexpr double size_by_carveout = 0.9;
/// L2 latency by SM. H200 only: l2.latency_by_sm.
inline constexpr double latency_by_sm = 0.99;
/// Whether L1 caches global loads. Family data_cache: l1_data.caches_global_loads.
inline constexpr double caches_global_loads = 0.9999;
/// Number of L2 partitions, and the partition of each SM. Family data_cache: l2.partition.count.
inline constexpr double partitions = 0.995;

}  // namespace data_cache

namespace constant_cache {

/// Second level: sets that explain every line. Family constant_caches: constant_l15.size, constant_l15.sets.
inline constexpr double second_level = 0.999;
/// The same where a few lines were disturbed. Family constant_caches: the same rows.
inline constexpr double second_level_disturbed = 0.99;
/// The same where lines contradict the sets, or no index makes these. Family constant_caches: the same rows, unsure.
inline constexpr double second_level_doubtful = 0.9;
/// A lower bound of the second level's size. Family constant_caches: constant_l15.size_at_least.
inline constexpr double lower_bound = 0.999;

}  // namespace constant_cache

namespace texture_cache {

/// Latency of texture loads. H200 only: texture.latency*.
inline constexpr double latency = 0.99;
/// Blocks of texels that nearly all texels fit. Family private_caches: texture.block_width, texture.block_height.
inline constexpr double blocks = 1 - 10 * systematic_error;
/// Blocks that fit less well. Family private_caches: the same rows, unsure.
inline constexpr double blocks_disturbed = 0.9;
/// Lines of blocks on which all pairs agree. Family private_caches: texture.line_block_*.
inline constexpr double line_blocks = 0.999;
/// The same where some pairs disagree. Family private_caches: the same rows, unsure.
inline constexpr double line_blocks_disturbed = 0.95;

}  // namespace texture_cache

namespace instruction_cache {

/// Instruction caches. H200 only: instruction_l*.*. Family instruction_sharing draws such caches but scores none.
inline constexpr double line_size = 0.95;
inline constexpr double size = 0.95;
inline constexpr double miss_penalty = 0.99;

}  // namespace instruction_cache

namespace tlb {

/// Entries by the first miss, which retained pages confirm. Family tlb: tlb.*.entries.
inline constexpr double entries_two_methods = 0.999;
/// Entries by retained pages alone, at two lengths of the walk. Family tlb: tlb.*.entries.
inline constexpr double entries_retained = 0.995;
/// Entries by the first miss, which sets that hold their share of them confirm. Family tlb: tlb.*.entries.
inline constexpr double entries_by_sets = 0.995;
/// Entries by the first miss alone. Family tlb: tlb.*.entries, unsure.
inline constexpr double entries_first_miss = 0.9;
/// Span of an entry by neighbours in a full level. Family tlb: tlb.*.entry_span.
inline constexpr double entry_span = 0.998;
/// Page size by the share of distances that agree: that share unless it is more than nine in ten. Family tlb:
/// tlb.*.page_size.
[[nodiscard]] constexpr double page_size(double agreeing) { return agreeing > 0.9 ? 0.998 : agreeing; }
/// Penalty from plateaus of the walks. Family tlb: *.miss_penalty.
inline constexpr double penalty_of_plateaus = 0.98;
/// Penalty from the same visits with and without a miss. Family tlb: *.miss_penalty.
inline constexpr double penalty_of_pairs = 0.99;
/// Window by the distance from miss to miss. Family tlb: page_window.size.
inline constexpr double window_size = 0.99;
/// A level that random pages fill to the last entry is one set. Family tlb: tlb.*.set_ways.
inline constexpr double one_set = 0.998;
/// Sets on which two growing walks over other pages agree. Family tlb: tlb.*.set_ways.
inline constexpr double sets_growing = 0.995;
/// Sets of a large level from enough equal groups. Family tlb: tlb.*.set_ways.
inline constexpr double sets_many_groups = 0.995;
/// Sets from fewer groups, or of a small level. Family tlb: tlb.*.set_ways, unsure.
inline constexpr double sets_few_groups = 0.95;
/// LRU told from FIFO. Family tlb: tlb.*.replacement.
inline constexpr double lru_or_fifo = 0.998;
/// Random replacement by shares of misses, which other policies may cause as well. Family tlb: the same row, unsure.
inline constexpr double random_by_shares = 0.95;
/// "Not LRU" by shares of misses. Family tlb: tlb.*.replacement.
inline constexpr double not_lru_by_shares = 0.99;

}  // namespace tlb

namespace shared_memory {

/// Intervals of latencies and rates are made to cover them with this probability. Derived: robust_statistics.hpp.
inline constexpr double interval = 0.999;
/// Probability of an error common to all SMs. Family shared_memory: shared.latency.
inline constexpr double systematic_error = 0.001;
/// Sizes by the largest program that runs. Family shared_memory: shared.size_per_sm, shared.size_per_block.
inline constexpr double size = 0.999;
/// Banks by two methods. Family shared_memory: shared.banks, shared.bank_width.
inline constexpr double banks_two_methods = 0.999;
/// Banks by conflict distances alone. Family shared_memory: the same rows, unsure.
inline constexpr double banks_one_method = 0.8;
/// Phases of an access, by width. Family shared_memory: shared.phases, shared.phase_lanes.
inline constexpr double phases = 0.99;
/// Modes of the banks, each found again in its conflicts. Family shared_memory: shared.modes.
inline constexpr double modes = 0.999;

}  // namespace shared_memory

namespace throughput {

/// Intervals of bandwidths are made to cover them with this probability. Derived: robust_statistics.hpp.
inline constexpr double interval = 0.999;
/// Probability that the search stops short of the best configuration. Family throughput: *.bandwidth.*.
inline constexpr double systematic_error = 0.001;
/// Probability of an error common to all SMs in the cycles of a request. Family memory_requests: all rows.
inline constexpr double request_systematic_error = 0.005;

}  // namespace throughput

namespace instructions {

/// A ridge that repetitions cannot tell from its neighbours. Family instructions: instruction.*.ridge_warps, unsure.
inline constexpr double ridge_undecided = 0.95;

}  // namespace instructions

namespace memory_spectrum {

/// Mean latency of a cluster of loads, with its interval. Family memory_spectrum: dram.latency*, memory_spectrum.*.
inline constexpr double mean = 0.99;

}  // namespace memory_spectrum

namespace hopper {

/// The largest cluster that ran. H200 only: cluster.max_size.
inline constexpr double cluster_size = 0.999;
/// Latencies and throughputs between SMs, and of copies by the TMA: medians over trials. H200 only:
/// dsmem.*, tma.*.
inline constexpr double measured = 0.99;
/// Comparisons of such throughputs, and multicast: a few points decide them. H200 only: dsmem.*, tma.*.
inline constexpr double compared = 0.9;

}  // namespace hopper

}  // namespace tomograph::confidence

#endif
