#ifndef TOMOGRAPH_BENCH_INDEPENDENT_DESCRIPTION_HPP
#define TOMOGRAPH_BENCH_INDEPENDENT_DESCRIPTION_HPP

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

/// What a simulated GPU is made of. Sizes are in bytes, times in cycles of the SM clock.
namespace independent {

/// How a set chooses its victim. The policies from `nru` on have no word among the facts.
enum class Policy {
  lru,
  fifo,
  random,
  way_weighted,
  tree_plru,
  segmented_lru,
  nru,       ///< one bit per way; when all are set, a miss clears them; the search starts behind the last victim
  bit_plru,  ///< one bit per way; when all are set, the others are cleared; the search starts at way 0
  srrip,     ///< two-bit re-reference intervals (Jaleel et al., ISCA 2010)
  clock,     ///< second chance
  lip,       ///< LRU order, new lines at its end
  bip,       ///< the same, one new line in 32 at its front
  not_last   ///< random, but never the line used last
};

/// Which set an address belongs to.
struct SetIndex {
  enum class Kind {
    linear,    ///< bit i of the set's number is the parity of address & masks[i]
    modulus,   ///< number of the line modulo `sets`
    scrambled  ///< a non-linear hash of the line's number, modulo `sets`
  };
  Kind kind = Kind::linear;
  std::vector<std::uint64_t> masks = {};
  std::uint32_t sets = 1;
};

/// A cache, or a TLB, whose lines are the spans of its entries.
struct CacheDescription {
  std::int64_t line = 128;
  std::int64_t sector = 32;  ///< smallest part of a line that is valid on its own
  std::int64_t fetch = 32;   ///< what a miss brings: a multiple of the sector, at most a line
  SetIndex index = {};
  std::vector<int> set_ways = {1};
  Policy policy = Policy::lru;
  std::vector<double> way_weights = {};  ///< way_weighted: probability of each way
  int protected_ways = 0;                ///< segmented_lru
  int prefetched_lines = 0;              ///< following lines that a miss brings as well

  [[nodiscard]] std::int64_t lines() const {
    return std::accumulate(set_ways.begin(), set_ways.end(), std::int64_t{0});
  }
  [[nodiscard]] std::int64_t size() const { return lines() * line; }
  /// All sets have the same number of ways.
  [[nodiscard]] bool equal_sets() const {
    return std::all_of(set_ways.begin(), set_ways.end(), [&](int ways) { return ways == set_ways.front(); });
  }
};

/// The SMs that share each instance: `of_sm[sm]` is the number of the instance.
using Groups = std::vector<std::uint32_t>;

/// A cache that SMs own, for loads of global memory.
struct FirstLevel {
  CacheDescription cache = {};
  bool virtually_tagged = true;
  int per_sm = 1;              ///< instances; warps are dealt to them
  bool shares_sram = false;    ///< with shared memory, which takes whole ways, all but one at most
  bool waits_for_all = false;  ///< a miss ends when all of its bytes have arrived, not only the wanted ones
  double bypass = 30;          ///< a miss that L2 serves takes the hit's and L2's latency less this
};

/// Ways that a carve-out of so many bytes leaves to a first level.
[[nodiscard]] inline int ways_beside(const FirstLevel& first, std::int64_t carveout) {
  const int ways = first.cache.set_ways.front();
  if (!first.shares_sram || carveout <= 0) return ways;
  const std::int64_t way = first.cache.size() / ways;
  return static_cast<int>(std::max<std::int64_t>(1, ways - (carveout + way - 1) / way));
}

/// Load paths through first levels, and the one that passes them.
enum PathOfFirstLevel {
  data_path,
  read_only_path,
  texture_path,
  first_level_paths,
  past_first_level = first_level_paths
};

struct ConstantCaches {
  CacheDescription l1 = {};
  double l1_latency = 28;
  int l1_per_sm = 1;
  std::optional<CacheDescription> l15 = {};
  double l15_latency = 100;
  Groups l15_of_sm = {};
  bool l15_remembers = false;  ///< from program to program, where SMs share it
  double bypass = 70;          ///< as in FirstLevel, of the last constant cache
};

struct L2Description {
  CacheDescription cache = {};  ///< of one partition
  std::uint32_t partitions = 1;
  bool replicated = false;                          ///< readers get copies in their own partition
  std::vector<std::uint64_t> partition_masks = {};  ///< home of an address: bits as in SetIndex; empty: by hash
  Groups partition_of_sm = {};
  std::uint32_t slices = 1;                 ///< of a partition; the slice is the set's number modulo this
  std::vector<std::vector<float>> latency;  ///< of a hit in the own partition, by SM and slice
  double far_extra = 0;                     ///< what another partition adds
};

struct MemoryDescription {
  std::int64_t size = 0;
  std::int64_t free = 0;
  double extra = 300;     ///< what a miss in L2 adds
  double far_extra = 0;   ///< what memory behind another partition adds, beyond the extra of L2
  double deviation = 15;  ///< standard deviation
  double row_share = 0;   ///< of accesses that open another row; of all accesses outside the open row if open_rows
  double row_extra = 0;
  bool open_rows = false;  ///< whether the row depends on the address
  double refresh_share = 0;
  double refresh_extra = 0;
};

struct TlbDescription {
  CacheDescription entries = {};  ///< a line is the span of an entry, a sector that of a sub-entry
  Groups instance_of_sm = {};
  double penalty = 0;  ///< what a miss of this level adds
};

struct Translation {
  std::int64_t page = std::int64_t{2} << 20;  ///< unit of physical placement
  std::vector<TlbDescription> tlbs = {};
  std::int64_t window = 0;  ///< bytes whose page tables are active at a time; 0: all
  double window_penalty = 0;
  std::optional<CacheDescription> walk_cache = {};  ///< of upper page tables
  double walk_cache_penalty = 0;
  bool stable_addresses = true;  ///< equal arrays have equal addresses in all programs
};

struct NoiseDescription {
  double first_level = 0.2;  ///< standard deviations
  double l2 = 2;
  double drift = 0.002;  ///< amplitude of the slow change of L2 and memory latency, as a share
  double drift_period = 1e9;
  double late_share = 1e-5;  ///< loads that a time slice or an interrupt delays
  double late_extra = 2000;
  int clock_step = 1;  ///< cycles by which the clock counts
};

struct Gpu {
  std::string family;
  std::uint64_t seed = 0;
  std::int64_t sms = 8;
  std::int64_t clock_hz = 1'500'000'000;
  std::int64_t shared_memory = 65536;
  double shared_latency = 24;
  std::vector<FirstLevel> first_levels = {};
  /// By path: the number of its first level, or -1 where loads go to L2 at once.
  std::array<int, first_level_paths> level_of_path = {-1, -1, -1};
  std::array<double, first_level_paths> path_latency = {};
  ConstantCaches constants = {};
  L2Description l2 = {};
  MemoryDescription memory = {};
  Translation translation = {};
  NoiseDescription noise = {};
};

}  // namespace independent

#endif
