#ifndef TOMOGRAPH_DATA_CACHE_ANALYSIS_L2_SETS_HPP
#define TOMOGRAPH_DATA_CACHE_ANALYSIS_L2_SETS_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tomograph/analysis/interval.hpp"

/// What lines of many pages that share a set of L2 tell about all its sets.
namespace tomograph::data_cache {

/// How many sets there are.
struct SetCount {
  analysis::Interval interval;        ///< with a probability of 0.997 (Student)
  std::optional<std::int64_t> value;  ///< the likely number, if one is
  double doubt = 0;                   ///< probability that another number looks as likely
};

/// What is known of the number of sets before lines are counted.
struct SetFactors {
  std::int64_t slices = 1;      ///< each has as many sets
  std::int64_t told_apart = 1;  ///< by parities of an index: a power of two, each as many sets as the others
};

/// The number of sets, given how many of `lines` lines fall into each of a few random sets. Where nearly all counts
/// agree to one, the others do not count. If one multiple of the sets told apart lies in the interval, it is that.
/// Else sets are chosen by bits of the address and perhaps by a small factor: so of the multiples of `slices` it is
/// that with the highest power of two as a factor. Among n numbers, one has the factor 2^k by chance with a probability
/// of n / 2^k. If that is no multiple of the sets told apart, slices do not count. Nothing for fewer than two counts.
/// No number is taken that lies outside of `within`, what is known from elsewhere; if all on which nearly all counts
/// agree do, all counts count.
[[nodiscard]] std::optional<SetCount> count_sets(std::span<const std::int64_t> counts, std::int64_t lines,
                                                 const SetFactors& factors,
                                                 const std::optional<analysis::Interval>& within = std::nullopt);

/// The distance of neighbours in a set within a page, if nearly all have the same: an index that is the remainder of
/// the line's number by the number of sets makes it that number. `sets` are lines in ascending order. Nothing if lines
/// of a set lie at random places, or are few.
[[nodiscard]] std::optional<std::int64_t> usual_distance(std::span<const std::vector<std::int64_t>> sets,
                                                         std::int64_t lines_per_page);

/// Lines of these sets, first the even ones, and then the odd ones, in groups of a quarter of the ways of all sets that
/// hold even or odd lines: chance puts more lines than ways into a set of 4 ways in 4 of 1000 cases. `sets` are
/// eviction sets, at least one. On an H100, a line that holds a copy for another partition is often evicted with its
/// neighbour, whose set is another. Before the odd lines are tested, walks have evicted the even ones.
[[nodiscard]] std::vector<std::vector<std::int64_t>> apart_from_neighbours(
    std::span<const std::int64_t> lines, std::span<const std::vector<std::int64_t>> sets);

/// Drops lines that seem to belong to three sets or more, at home or as copies: whatever makes them late, it is not
/// their set, but perhaps others of their group, if that has more of one set than fit. (Two searches may have found the
/// same set.)
void drop_lines_of_many_sets(std::vector<std::vector<std::int64_t>>& sets,
                             std::vector<std::vector<std::int64_t>>& copies);

/// Latencies of lines of one set that loads have missed: above which of them memory served the load. Below, another of
/// `partitions` partitions did, which is the home of the line: the middle of the widest gap between latencies that
/// leaves memory, and the other partitions, more than a quarter of a partition's share. 0 for one partition, and for
/// too few latencies.
[[nodiscard]] double memory_threshold(std::span<const double> latencies, std::int64_t partitions);

/// Visits to lines of a set, in order, and whether the last of them hit.
struct Visits {
  std::vector<std::int64_t> lines;
  std::vector<bool> hits;  ///< of the last visits
};

/// Visits to lines that share a set of `ways` ways. First come 2 x ways lines that are not used again, after which LRU
/// and FIFO hold none of an earlier visit; then all of ways + ways / 2 others; then `compared_visits` visits to those,
/// drawn at random. Nothing if there are too few lines.
[[nodiscard]] std::optional<std::vector<std::int64_t>> visits_to(std::span<const std::int64_t> lines, std::int64_t ways,
                                                                 std::uint64_t seed);
/// How many of these visits, the last ones, are compared with a policy: three times `ways`, and at least 48.
[[nodiscard]] std::size_t compared_visits(std::int64_t ways);

/// A policy that explains visits.
struct QueuePolicy {
  std::string name = {};        ///< "lru", "fifo" or "not-lru"; empty: inconclusive
  std::size_t compared = 0;     ///< visits
  std::size_t telling = 0;      ///< of these: LRU differs from FIFO and, if ways are a power of two, from tree-PLRU
  std::size_t unexplained = 0;  ///< visits that LRU does not explain
  std::string reason = {};
};

/// LRU or FIFO if it explains each visit; "not-lru" if more than one in ten contradicts LRU.
[[nodiscard]] QueuePolicy queue_policy(std::span<const Visits> seen, std::int64_t ways);

}  // namespace tomograph::data_cache

#endif
