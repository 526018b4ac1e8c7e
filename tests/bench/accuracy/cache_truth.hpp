#ifndef TOMOGRAPH_BENCH_ACCURACY_CACHE_TRUTH_HPP
#define TOMOGRAPH_BENCH_ACCURACY_CACHE_TRUTH_HPP

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "family.hpp"

namespace tomograph::bench {

/// A load path and the prefix of the facts about its cache.
struct View {
  chase::Path path;
  const char* prefix;
};
inline constexpr std::array views{View{chase::Path::global_ca, "l1_data"}, View{chase::Path::global_nc, "read_only"},
                                  View{chase::Path::texture, "texture"}, View{chase::Path::constant, "constant_l1"}};

/// The sets as one SM sees them.
struct Organisation {
  std::vector<std::uint64_t> masks;  ///< bit i of a set's number is the parity of address & masks[i]
  std::int64_t modulus = 0;          ///< unless 0: the set is the number of the line modulo this
  std::vector<std::int64_t> set_ways;
  sim::Replacement replacement;
};

/// The sets of one cache; empty if neither masks nor a remainder select them.
[[nodiscard]] Organisation organisation(const sim::Cache& cache);
/// The same for the L2. Without copies, its partitions look to one SM like sets of one cache.
[[nodiscard]] Organisation organisation(const sim::L2& l2);

/// The masks of a published index that is made of bits or of masks; none of others.
[[nodiscard]] std::vector<std::uint64_t> published_masks(const Json& index);

/// The truth about fetch_granularity, sector_size and line_size, and about sets, ways, set_ways, index, replacement and
/// way_probability of the organisation that an SM sees. README.md says what is observable, and what counts as right: a
/// sector only if it is at most `largest_observable_sector`.
void expect_lines(ExpectedFacts& facts, const sim::Cache& cache, std::int64_t largest_observable_sector = 32);
void expect_organisation(ExpectedFacts& facts, const Organisation& truth);

/// The blocks of texels of a fetch and of a line of the texture cache.
void expect_blocks(ExpectedFacts& facts, const sim::Cache& texture, const std::string& texel_order);

/// entries, entry_span, page_size, reach, set_ways and replacement of a level of the TLB.
void expect_tlb(ExpectedFacts& facts, const sim::Cache& entries);

/// sm_groups and sms_per_instance of what groups of SMs share; none: each has its own.
void expect_groups(ExpectedFacts& facts, const sim::SmGroups& shared_by, std::int64_t sm_count);

/// shared_with and per_sm of all caches that load paths look into first, with their prefixes.
void expect_sharing(ExpectedFacts& facts, const sim::Gpu& gpu);

}  // namespace tomograph::bench

#endif
