#ifndef TOMOGRAPH_SIM_GPU_DESCRIPTION_HPP
#define TOMOGRAPH_SIM_GPU_DESCRIPTION_HPP

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sim/gpu/shared_memory.hpp"
#include "tomograph/chase.hpp"

/// A simulated GPU as a value. schemas/simulated-gpu.schema.json defines the meaning of every field; names
/// are the same in both.
namespace tomograph::sim {

/// Lines of one cache, or entries of a TLB: 2 GiB of the usual lines, far beyond any GPU.
inline constexpr std::int64_t maximum_lines = std::int64_t{1} << 24;
inline constexpr std::int64_t maximum_partitions = 16;

/// Which set of its cache a line belongs to.
struct Index {
  enum class Kind { bits, hashed, modulo };
  Kind kind = Kind::modulo;
  std::vector<int> bits;             ///< kind bits: address bits, lowest index bit first
  std::vector<std::uint64_t> masks;  ///< kind hashed: index bit i is the parity of address & masks[i]
};

struct Replacement {
  enum class Policy { lru, fifo, random, way_weighted, segmented_lru };
  Policy policy = Policy::lru;
  std::vector<double> way_probability;  ///< policy way_weighted: how often each way is the victim
  /// Policy segmented_lru: how many lines of a set that were used again are kept before any that was not (Karedla,
  /// Love & Wherry 1994).
  std::int64_t protected_ways = 0;
};

/// One cache, or one partition of it.
struct Cache {
  std::int64_t line_size = 128;
  std::int64_t sector_size = 32;
  std::int64_t fetch_granularity = 32;
  std::vector<std::int64_t> set_ways;
  Index index;
  Replacement replacement;

  [[nodiscard]] std::int64_t lines() const;
};

/// SRAM that the L1 cache shares with shared memory. Usable for lines is what remains of `sram` after the
/// carve-out and `reserved`; it is dealt out to a constant number of sets, the first ones getting one way
/// more where it does not come out even.
struct Carveouts {
  std::int64_t sram = 0;
  std::vector<std::int64_t> shared_memory;  ///< selectable sizes, ascending
  std::vector<std::int64_t> reserved;       ///< bytes lost at each of them
  std::int64_t default_size = 0;            ///< the one in force where a program asks for none
  std::int64_t sets = 1;
  /// 0: dealt out as above. Else the ways of every set at every carve-out, tags for more lines than the SRAM may
  /// hold: what is usable then limits the lines of the cache as a whole.
  std::int64_t ways = 0;
};

struct L1 {
  Cache cache;  ///< set_ways is empty where carve-outs decide
  std::int64_t latency = 1;
  std::vector<chase::Path> paths;
  bool virtually_tagged = true;
  std::optional<Carveouts> carveouts;

  /// The ways of each set when `shared_memory` bytes are carved out; set_ways without carve-outs.
  [[nodiscard]] std::vector<std::int64_t> ways_beside(std::int64_t shared_memory) const;
  /// The most lines that the cache holds beside this carve-out; without carve-outs as many as it has ways.
  [[nodiscard]] std::int64_t lines_beside(std::int64_t shared_memory) const;
};

struct L2 {
  Cache cache;  ///< one partition
  std::int64_t latency = 1;
  std::int64_t far_latency = 1;
  std::int64_t partitions = 1;
  std::vector<std::uint64_t> home_masks;   ///< bit i of a line's home partition is the parity of address & mask
  std::vector<std::int64_t> sm_partition;  ///< partition of each SM; empty: blocks of equal size
  bool replicate = false;
  std::int64_t slices = 1;
  std::int64_t sm_latency_spread = 0;
};

struct Dram {
  std::int64_t latency = 1;
  std::int64_t far_latency = 1;
  std::optional<std::int64_t> size;
};

/// A fully associative LRU level of address translation, one per SM.
struct Tlb {
  std::int64_t entries = 1;
  std::int64_t entry_span = chase::array_alignment;
  std::int64_t penalty = 0;
};

struct Noise {
  double l1_sigma = 0;
  double l2_sigma = 0;
  double dram_sigma = 0;
  double outlier_probability = 0;
  std::int64_t outlier_low = 0;
  std::int64_t outlier_high = 0;
};

/// What the measuring kernel adds: cycles of its clock reads, and the shared memory that it occupies.
struct MeasuringKernel {
  std::int64_t each_overhead = 0;
  std::int64_t total_overhead = 0;
  std::int64_t kernel_shared = 0;
};

/// What an interface of the vendor would say: one fact to publish.
struct ApiFact {
  std::string key;
  nlohmann::json value;
};

struct Gpu {
  std::string name;
  std::int64_t sm_count = 1;
  std::int64_t sm_clock_mhz = 1000;
  std::vector<ApiFact> api;
  std::optional<L1> l1;
  L2 l2;
  Dram dram;
  std::vector<Tlb> tlb;
  std::optional<SharedMemory> shared_memory;
  Noise noise;
  MeasuringKernel instrument;
};

/// A rule that a description breaks, and the key that it is about, e.g. "l1.sector_size".
struct Violation {
  std::string key;
  std::string rule;
};

/// The first broken rule about line, sector and fetch granularity of `cache`; its key is relative to the cache.
[[nodiscard]] std::optional<Violation> line_violation(const Cache& cache);

/// The first broken rule of `gpu`, or nothing if such a GPU can be simulated.
[[nodiscard]] std::optional<Violation> violation(const Gpu& gpu);

}  // namespace tomograph::sim

#endif
