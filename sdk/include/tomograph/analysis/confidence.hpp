#ifndef TOMOGRAPH_ANALYSIS_CONFIDENCE_HPP
#define TOMOGRAPH_ANALYSIS_CONFIDENCE_HPP

#include <algorithm>

/// Maps a method and its evidence to confidence: the probability that the published value is right. No probe contains
/// such a number; a test finds those that do. A probe uses the error probability of its statistics (`from_error`), the
/// agreement of repeated measurements (confidence_from_agreement of proportion.hpp), the coverage of an interval, or an
/// entry of this file.
///
/// Each entry is explained for a reader who sees no other, since `tomograph explain` prints it. It names the facts
/// whose rows in tests/bench/calibration/rates.md support it: how often they were right on two simulators, of which the
/// second, tests/bench/independent, is by another author: known and strange GPUs. An entry claims about the worse of
/// the two rates. "One simulator": only tests/bench/accuracy scores the fact. "H200 only": neither does, and only
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
/// Latency of hits in a chain, with an interval for all SMs. *.latency.
inline constexpr double latency = 0.998;
/// Mean of what misses take longer, with an interval of three standard errors. *.miss_penalty.
inline constexpr double miss_penalty = 0.996;
/// Capacity from a sharp rise that the retained lines confirm. *.size.
inline constexpr double size_two_methods = 0.998;
/// Capacity of a cache that programs share from a sharp rise that the retained lines confirm: lines of earlier programs
/// may remain. l2.partition.size.
inline constexpr double size_two_methods_shared = 0.975;
/// Capacity from samples of a large cache, with an interval of three standard errors. l2.size.
inline constexpr double size_sampled = 0.98;
/// Capacity without a sharp rise. *.size.
inline constexpr double size_soft = 0.955;
/// Capacity of a small cache whose sets were counted. l1_data.size.
inline constexpr double size_counted_sets = 0.995;
/// Sets that at least eight groups confirm and random placement gives as well. *.sets, *.index.
inline constexpr double sets_two_methods = 0.9995;
/// Sets that at least eight groups confirm, but not random placement. *.sets, *.index.
inline constexpr double sets_confirmed = 0.995;
/// Sets that fewer than eight groups confirm, or where loads are misread. *.sets.
inline constexpr double sets_unsettled = 0.9;
/// Refreshes of memory, by the banks of one channel. Of 14 simulated GPUs all periods were right, which supports no
/// more than 15 in 16. dram.refresh.period, dram.refresh.duration.
inline constexpr double refresh = 0.9;
/// Line size of a cache in which whole ranges of the index may be evicted together. *.line_size.
inline constexpr double line_in_bands = 0.95;
/// A sector of constants as large as what a miss fetches. All 863 of the second simulator's GPUs known 200000 to
/// 220149, strange 300000 to 310015 and known 570000 to 570359 were right, but none of them has several sectors in a
/// line.
/// constant_l1.sector_size, constant_l15.sector_size.
inline constexpr double sector_of_constants = 0.99;
/// A line size that is less likely is not published. A choice, not a measured rate.
inline constexpr double line_least = 0.9;
/// LRU whose protected ways could not be counted. *.replacement.
inline constexpr double lru_without_survivors = 0.9;
/// What L2 fetches where a cache behind it fetches more: loads that this cache serves take longer than hits of L2.
/// l2.fetch_granularity. A choice, not a measured rate.
inline constexpr double fetch_before_another_cache = 0.98;
/// Random replacement: the ways' shares pass for equal. *.replacement.
inline constexpr double random_replacement = 0.995;
/// Random replacement in a cache that programs share: the ways' shares pass for equal, but unequal ones even out where
/// ways are numbered anew in each trace. Of 17 L2s of the second simulator's GPUs known 200000 to 220149 and strange
/// 300000 to 310015, 13 were right: (13 + 1) / (17 + 2) by the rule of succession. l2.replacement.
inline constexpr double shared_random_replacement = 14.0 / 19;
/// The ways' shares in a cache that programs share. What earlier ones left there numbers the ways anew in each trace.
/// l2.way_probability.
inline constexpr double shared_way_probability = 0.1;

}  // namespace cache

namespace data_cache {

/// Usable bytes by carve-out: 17 intervals, each of three standard errors. l1_data.size_by_carveout.
inline constexpr double size_by_carveout = 0.95;
/// Mean latency of L2 lines in another partition. l2.latency.far.
inline constexpr double far_latency = 0.97;
/// L2 latency by SM, an interval for each. l2.latency_by_sm.
inline constexpr double latency_by_sm = 0.98;
/// Whether L1 caches global loads. l1_data.caches_global_loads.
inline constexpr double caches_global_loads = 0.993;
/// Number of L2 partitions, and the partition of each SM. l2.partition.count.
inline constexpr double partitions = 0.995;
/// Number of L2 partitions, and the partition of each SM, where lines that were just loaded are often farther away at
/// their next load. Of four such GPUs among the second simulator's strange 40000 to 40059, 41000 to 41099 and 42000 to
/// 42119, three were right: (3 + 1) / (4 + 2) by the rule of succession. l2.partition.count.
inline constexpr double partitions_of_lost_lines = 4.0 / 6;

}  // namespace data_cache

namespace constant_cache {

/// Second level: sets that explain every line. constant_l15.size, constant_l15.sets.
inline constexpr double second_level = 0.999;
/// Second level: sets that explain every line but a few, which were disturbed. constant_l15.size, constant_l15.sets.
inline constexpr double second_level_disturbed = 0.99;
/// Second level: sets that lines contradict, or that no index makes. constant_l15.size, constant_l15.sets.
inline constexpr double second_level_doubtful = 0.87;
/// A lower bound of the second level's size. constant_l15.size_at_least.
inline constexpr double lower_bound = 0.999;

}  // namespace constant_cache

namespace texture_cache {

/// Latency of texture loads, one by one. texture.latency*.
inline constexpr double latency = 0.99;
/// Blocks of texels that nearly all texels fit. One simulator: texture.block_width, texture.block_height.
inline constexpr double blocks = 1 - 10 * systematic_error;
/// Blocks of texels that some texels do not fit. One simulator: texture.block_width, texture.block_height.
inline constexpr double blocks_disturbed = 0.9;
/// Lines of blocks on which all pairs agree. One simulator: texture.line_block_*.
inline constexpr double line_blocks = 0.999;
/// Lines of blocks on which some pairs disagree. One simulator: texture.line_block_*.
inline constexpr double line_blocks_disturbed = 0.95;

}  // namespace texture_cache

namespace instruction_cache {

/// Where a level's lines are longer than those of the level before, these may come out: of 248 claims of the first
/// simulator's GPUs 0 to 199, 221 were right: (221 + 1) / (248 + 2) by the rule of succession. One simulator:
/// instruction_l*.line_size.
inline constexpr double line_size = 222.0 / 250;
/// Sizes of instruction caches, and what their misses take longer. One simulator: instruction_l*.size,
/// instruction_l*.miss_penalty.
inline constexpr double size = 0.95;
inline constexpr double miss_penalty = 0.99;

}  // namespace instruction_cache

namespace tlb {

/// Entries by the first miss, which retained pages confirm. tlb.*.entries.
inline constexpr double entries_two_methods = 0.997;
/// Entries by retained pages alone, at two lengths of the walk. tlb.*.entries.
inline constexpr double entries_retained = 0.66;
/// Entries by the first miss, which sets that hold their share of them confirm. tlb.*.entries.
inline constexpr double entries_by_sets = 0.975;
/// Entries by the first miss alone. Of 30 such claims of both simulators, 3 were right: (3 + 1) / (30 + 2) by the rule
/// of succession. tlb.*.entries.
inline constexpr double entries_first_miss = 4.0 / 32;
/// Span of an entry by neighbours in a full level, of which two methods counted the entries. tlb.*.entry_span.
inline constexpr double neighbours = 0.994;
/// That entries and their span reach as far as both say. A span that is too wide has fewer entries, which reach as far.
[[nodiscard]] constexpr double reach(double entries) { return entries > entries_first_miss ? neighbours : 24.0 / 26; }
/// Span of an entry by neighbours in a full level, of which so many entries were then counted with confidence
/// `entries`. Sets alone do not confirm it: pages of too wide a span fill fewer sets, too. Where nothing confirmed
/// them, the span may be that of a part of an entry: of 24 such claims of the second simulator's GPUs known 441000 to
/// 441099 and strange 431000 to 431087 and 330000 to 330019, 23 were right: (23 + 1) / (24 + 2) by the rule of
/// succession. tlb.*.entry_span.
[[nodiscard]] constexpr double entry_span(double entries) {
  return entries == entries_by_sets ? std::min(entries, neighbours) : reach(entries);
}
/// Page size where a miss brings both halves of an entry. tlb.*.page_size.
inline constexpr double page_of_halves = 0.991;
/// Page size by the share of distances that agree: that share unless it is more than nine in ten. tlb.*.page_size.
[[nodiscard]] constexpr double page_size(double agreeing) { return agreeing > 0.9 ? 0.998 : agreeing; }
/// Page size of a level whose entries could not be counted, or behind one of which it is unknown what a miss brings:
/// two levels may look like one, and the one before may hide misses. A choice, which no row supports: such levels are
/// rare. tlb.*.page_size.
inline constexpr double page_without_entries = 0.5;
/// Penalty from plateaus of the walks. Of 53 such claims of the second simulator's GPUs known 1000000 to 1000643 and
/// strange 1100000 to 1100047, 51 were right, but these GPUs had shown how to tell page windows from levels: the entry
/// claims less. tlb.*.miss_penalty.
inline constexpr double penalty_of_plateaus = 0.76;
/// Penalty of a window from plateaus of the walks, which pages alone hide. page_window.miss_penalty.
inline constexpr double penalty_of_window = 0.95;
/// Penalty from the same visits with and without a miss, in a level of which so many entries were counted with
/// confidence `entries`. Where nothing confirmed them, the pages in between may be too few to evict what they should:
/// of 39 such claims of the second simulator's GPUs known 200000 to 200059, 440000 to 441099 and 550000 to 550134 and
/// strange 300000 to 300059, 330000 to 330093, 430000 to 431089, 551000 to 551134 and 571000 to 571031, all were right:
/// (39 + 1) / (39 + 2) by the rule of succession. tlb.*.miss_penalty.
[[nodiscard]] constexpr double penalty_of_pairs(double entries) {
  return entries > entries_first_miss ? 0.995 : 40.0 / 41;
}
/// Window by the distance from miss to miss. page_window.size.
inline constexpr double window_size = 0.99;
/// A level that random pages fill to the last entry is one set. tlb.*.set_ways.
inline constexpr double one_set = 0.995;
/// Sets on which two growing walks over other pages agree. tlb.*.set_ways.
inline constexpr double sets_growing = 0.99;
/// Sets of a large level from enough equal groups. tlb.*.set_ways.
inline constexpr double sets_many_groups = 0.998;
/// Sets from few groups, or of a small level. tlb.*.set_ways.
inline constexpr double sets_few_groups = 0.8;
/// LRU told from FIFO. tlb.*.replacement.
inline constexpr double lru_or_fifo = 0.995;
/// LRU by few visits, each of two loads, where more were refused or would take too long. Of 339 such claims of the
/// second simulator's GPUs known 200000 to 200178 and strange 300000 to 300064, 333 were right: (333 + 1) / (339 + 2)
/// by the rule of succession. tlb.*.replacement.
inline constexpr double lru_by_few_visits = 334.0 / 341;
/// Random replacement by shares of misses, which other policies may cause as well. tlb.*.replacement.
inline constexpr double random_by_shares = 0.98;
/// "Not LRU" by shares of misses. tlb.*.replacement.
inline constexpr double not_lru_by_shares = 0.99;

}  // namespace tlb

namespace shared_memory {

/// Intervals of latencies and rates are made to cover them with this probability. Derived: robust_statistics.hpp.
inline constexpr double interval = 0.999;
/// Probability of an error common to all SMs. One simulator: shared.latency.
inline constexpr double systematic_error = 0.001;
/// Sizes by the largest program that runs. One simulator: shared.size_per_sm, shared.size_per_block.
inline constexpr double size = 0.999;
/// Banks by two methods. One simulator: shared.banks, shared.bank_width.
inline constexpr double banks_two_methods = 0.999;
/// Banks by conflict distances alone. One simulator: shared.banks, shared.bank_width.
inline constexpr double banks_one_method = 0.8;
/// Phases of an access, by width. One simulator: shared.phases, shared.phase_lanes.
inline constexpr double phases = 0.99;
/// Modes of the banks, each found again in its conflicts. One simulator: shared.modes.
inline constexpr double modes = 0.999;

}  // namespace shared_memory

namespace throughput {

/// Intervals of bandwidths are made to cover them with this probability. Derived: robust_statistics.hpp.
inline constexpr double interval = 0.999;
/// Probability that the search stops short of the best configuration. One simulator: *.bandwidth.*.
inline constexpr double systematic_error = 0.001;
/// Probability of an error common to all SMs in the cycles of a request. One simulator: *.request.*.
inline constexpr double request_systematic_error = 0.005;

}  // namespace throughput

namespace instructions {

/// A ridge that repetitions cannot tell from its neighbours. One simulator: instruction.*.ridge_warps.
inline constexpr double ridge_undecided = 0.95;

}  // namespace instructions

namespace memory_spectrum {

/// Mean latency of a cluster of loads, with its interval. dram.latency*, memory_spectrum.*.
inline constexpr double mean = 0.99;
/// Mean latency of the loads of one of two clusters, which overlap. dram.latency.near.
inline constexpr double mean_of_distance = 0.95;
/// Mean latency of loads that hit the first TLB, where it is unknown what a miss of it takes. It was right for 70 of 80
/// simulated GPUs. Taken over for loads that miss all TLBs, where first visits of pages show that there may be a
/// further level. dram.latency*, memory_spectrum.*.
inline constexpr double mean_beside_unknown_tlb = 70.0 / 80;

}  // namespace memory_spectrum

namespace hopper {

/// The largest cluster that ran. H200 only: cluster.max_size.
inline constexpr double cluster_size = 0.999;
/// Latencies and throughputs between SMs, and of copies by the TMA: medians over trials. H200 only:
/// dsmem.*, tma.*.
inline constexpr double measured = 0.99;
/// Comparisons of throughputs between SMs and of copies by the TMA, and multicast: a few points decide them. H200 only:
/// dsmem.*, tma.*.
inline constexpr double compared = 0.9;

}  // namespace hopper

namespace tensor {

/// Rates and latencies of products of matrices: medians over SMs and trials. H200 only: tensor.*.throughput,
/// tensor.*.latency.
inline constexpr double measured = 0.99;
/// Comparisons of rates of products of matrices: a few points decide them. H200 only: tensor.*.saturating_warps_by_ilp.
inline constexpr double compared = 0.9;

}  // namespace tensor

namespace atomics {

/// Latencies and rates of atomics, on which most trials agree. Eleven kinds of facts of one H200 are known, and none of
/// them is known to be wrong: (0 + 1) / (11 + 2) by the rule of succession. atomics.*.
inline constexpr double measured = 1 - 1.0 / 13;

}  // namespace atomics

namespace launches {

/// Probability of an error common to all repetitions. Three facts of one H200 are known, and none of them is known to
/// be wrong: (0 + 1) / (3 + 2) by the rule of succession. device.cta_*.
inline constexpr double systematic_error = 1.0 / 5;

}  // namespace launches

namespace runtime_calls {

/// Intervals of times and rates are made to cover their median, or the quantile of the fastest tenth, with this
/// probability. Derived: robust_statistics.hpp, undisturbed.hpp.
inline constexpr double interval = 0.999;
/// Probability of an error common to all trials. Nine facts of one H200 are known, and none of them is known to be
/// wrong: (0 + 1) / (9 + 2) by the rule of succession. launch.*, dram.bandwidth.memcpy, dram.bandwidth.memset.
inline constexpr double systematic_error = 1.0 / 11;

}  // namespace runtime_calls

namespace links {

/// Intervals of latencies and rates are made to cover the quantile of the fastest tenth with this probability, or
/// enclose all repetitions: 48 cover it with 0.993, which counts. Derived: undisturbed.hpp. host.*, link.*.
inline constexpr double interval = 0.999;
/// Probability of an error common to all repetitions. Of 16 facts that two H200s showed at first, two were wrong by
/// their method (link.bandwidth.read, host.bandwidth.pageable_in). The first is mended and repeats on five pairs of
/// H100s and H200s, the second still scatters: (2 + 1) / (16 + 2) by the rule of succession. host.*, link.*.
inline constexpr double systematic_error = 3.0 / 18;

}  // namespace links

namespace stores {

/// Intervals of rates are made to cover their median with this probability. Derived: robust_statistics.hpp.
inline constexpr double interval = 0.999;
/// What stores do, as rates and times tell that differ much. Two facts of an H100 and of an H200 are known, and none of
/// them is known to be wrong: (4 + 1) / (4 + 2) by the rule of succession. l1_data.write_combining, l2.write_back.
inline constexpr double policy = 5.0 / 6;

}  // namespace stores

namespace l2_persistence {

/// Intervals of the shares that L2 keeps are made to cover them with this probability. Derived: wilson of
/// proportion.hpp.
inline constexpr double interval = 0.99;
/// Probability of an error common to all samples. Four facts of an H100 and of an H200 are known, and none of them is
/// known to be wrong: (0 + 1) / (8 + 2) by the rule of succession. l2.persistence.*.
inline constexpr double systematic_error = 1.0 / 10;

}  // namespace l2_persistence

namespace models {

/// Predicted cycles of a kernel are published with an interval of this factor around them. It held the simulated time
/// of 92.2 % of the kernels and GPUs in tests/bench/mdm/results.md, and the time of 14 of 15 workloads on an H100 and
/// an H200. Of 825 random kernels that played no part, it held that of 89.6 % on an H200 (tests/bench/mdm/README.md).
/// kernel.*, workloads.predicted_*.
inline constexpr double factor = 1.5;
inline constexpr double kernel_time = 0.8;

}  // namespace models

}  // namespace tomograph::confidence

#endif
