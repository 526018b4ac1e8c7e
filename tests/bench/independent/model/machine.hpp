#ifndef TOMOGRAPH_BENCH_INDEPENDENT_MACHINE_HPP
#define TOMOGRAPH_BENCH_INDEPENDENT_MACHINE_HPP

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "cache.hpp"
#include "description.hpp"
#include "indexer.hpp"
#include "noise.hpp"

namespace independent {

constexpr std::size_t most_tlbs = 3;
constexpr int most_instances = 4;  ///< of a first level in an SM

/// The instance, in an SM with several, that serves a warp: the SM's four schedulers are dealt to them.
[[nodiscard]] inline std::uint32_t instance_of_warp(std::uint32_t warp, int per_sm) {
  return (warp % 4) * static_cast<std::uint32_t>(per_sm) / 4;
}

/// An address of memory as the SM and as the memory sees it, and where caches keep it. The guesses are the ways of its
/// last visit, where it mostly still is.
struct Address {
  std::uint64_t logical = ~std::uint64_t{0};
  std::uint64_t physical = 0;
  std::uint32_t set = 0;                  ///< of L2
  std::uint16_t slice = 0;                ///< of L2
  std::uint8_t home = 0;                  ///< partition of L2
  std::array<std::uint8_t, 2> ways = {};  ///< guesses: in the partition asked first, and in the home asked after it
  std::uint8_t first_level_way = 0;       ///< a guess
  std::array<std::uint8_t, most_tlbs> tlb_ways = {};  ///< guesses, by level
};

/// A simulated GPU with the contents of its caches and TLBs. What each load does is inlined, as in Cache.
class Machine {
 public:
  /// `run` distinguishes the noise of several runs of the same GPU.
  Machine(Gpu gpu, std::uint64_t run);

  [[nodiscard]] const Gpu& gpu() const { return gpu_; }
  Noise& noise() { return noise_; }

  /// Begins a program with a carve-out of so many bytes: what one SM has for itself is empty again.
  void begin_program(std::int64_t carveout = 0);
  /// Writes to global memory or to constants from outside, through L2.
  void write(Address& address, bool translated) {
    if (translated) {
      for (Cache* tlb : written_tlbs_) {
        if (!tlb->hits_again(address.logical)) tlb->access(address.logical);
      }
    }
    l2_[address.home].access(address.physical, address.set, address.ways[0]);
    if (gpu_.l2.replicated) drop_copies(address);
  }

  /// Cycles of a load. `warp` is the number of the warp that loads.
  [[gnu::always_inline]] double load_global(PathOfFirstLevel path, std::uint32_t sm, std::uint32_t warp,
                                            Address& address) {
    const int level = level_of(path);
    if (level < 0) return load_past_first_level(sm, address);
    const FirstLevel& first = gpu_.first_levels[static_cast<std::size_t>(level)];
    const double latency = gpu_.path_latency[path];
    double translation = first.virtually_tagged ? 0 : translate(sm, address);
    const std::uint64_t tagged = first.virtually_tagged ? address.logical : address.physical;
    Cache& cache = first_level(level, sm, warp);
    if (cache.access(tagged, cache.set_of(tagged), address.first_level_way)) {
      return latency + translation + noise_.first_level();
    }
    if (first.virtually_tagged) translation = translate(sm, address);
    return latency - first.bypass + translation + fetch(sm, first.cache, address, first.waits_for_all);
  }
  [[gnu::always_inline]] double load_past_first_level(std::uint32_t sm, Address& address) {
    const double translation = translate(sm, address);
    return translation + load_l2(sm, address.physical, address);
  }
  double load_constant(std::uint32_t sm, std::uint32_t warp, Address& address);

  /// Whether the host's caches do not hold the state of L2, so that it should be told of accesses in advance.
  [[nodiscard]] bool is_large() const { return is_large_; }
  /// Tells that this SM will soon ask L2 for the address, so that the host fetches what that needs. Changes nothing.
  void expect_load(std::uint32_t sm, const Address& address) const {
    if (gpu_.l2.replicated) l2_[gpu_.l2.partition_of_sm[sm]].prefetch(address.set);
    l2_[address.home].prefetch(address.set);
  }
  /// The same for a write.
  void expect_write(const Address& address) const {
    if (!gpu_.l2.replicated) return l2_[address.home].prefetch(address.set);
    for (const Cache& partition : l2_) partition.prefetch(address.set);
  }
  /// Whether loads of this path go to L2 at once.
  [[nodiscard]] bool skips_first_level(PathOfFirstLevel path) const { return level_of(path) < 0; }
  /// The address of what is at `physical`, for an SM at `logical`.
  [[nodiscard]] Address address(std::uint64_t logical, std::uint64_t physical) const {
    const std::uint32_t home = home_of(physical);
    const std::uint32_t set = l2_[home].set_of(physical);
    return {logical, physical, set, static_cast<std::uint16_t>(set % gpu_.l2.slices), static_cast<std::uint8_t>(home)};
  }
  /// The physical address of a logical one.
  [[nodiscard]] std::uint64_t placed(std::uint64_t logical);

 private:
  /// Leaves a first level the ways that the carve-out does not take.
  void limit_ways(Cache& cache, const FirstLevel& level) const;
  /// The first level that a path leads through, or -1.
  [[nodiscard]] int level_of(PathOfFirstLevel path) const {
    return path == past_first_level ? -1 : gpu_.level_of_path[path];
  }
  [[nodiscard]] Cache& first_level(int level, std::uint32_t sm, std::uint32_t warp) {
    const FirstLevel& description = gpu_.first_levels[static_cast<std::size_t>(level)];
    const std::size_t of_level = static_cast<std::size_t>(level) * static_cast<std::size_t>(gpu_.sms) + sm;
    auto& cache = first_levels_[of_level * most_instances + instance_of_warp(warp, description.per_sm)];
    if (!cache) cache = make_first_level(description);
    return *cache;
  }
  [[nodiscard]] std::unique_ptr<Cache> make_first_level(const FirstLevel& level);
  [[nodiscard]] Cache& constant_l1(std::uint32_t sm, std::uint32_t warp);
  [[gnu::always_inline]] double translate(std::uint32_t sm, Address& address) {
    double cycles = 0;
    for (std::size_t level = 0; level < tlbs_.size(); ++level) {
      Cache& tlb = *tlbs_of_sm_[sm * tlbs_.size() + level];
      // Chains cross the span of an entry in thousands of loads.
      if (tlb.hits_again(address.logical)) return cycles;
      if (tlb.access(address.logical, tlb.set_of(address.logical), address.tlb_ways[level])) return cycles;
      cycles += gpu_.translation.tlbs[level].penalty;
    }
    return cycles + walk(address.logical);
  }
  double walk(std::uint64_t logical);
  /// Latency of L2 and what lies behind, for one sector, which is in the line of L2 that `address` is in.
  [[gnu::always_inline]] double load_l2(std::uint32_t sm, std::uint64_t sector, Address& address) {
    const L2Description& l2 = gpu_.l2;
    double cycles = static_cast<double>(l2_latencies_[sm * l2.slices + address.slice]) + noise_.l2();
    const std::uint32_t own = l2.partition_of_sm[sm];
    const bool far = address.home != own;
    bool hit = l2_[l2.replicated ? own : address.home].access(sector, address.set, address.ways[0]);
    if (!l2.replicated) cycles += far_extra_[far];
    if (!hit && far && l2.replicated) {
      // Memory belongs to its home, so what comes from there stays in both.
      cycles += l2.far_extra;
      hit = l2_[address.home].access(sector, address.set, address.ways[1]);
    }
    if (!hit) cycles += load_memory(sector, far);
    return cycles * noise_.drift();
  }
  /// The same for all bytes that a miss of `cache` at `address` fetches.
  double fetch(std::uint32_t sm, const CacheDescription& cache, Address& address, bool waits_for_all);
  [[gnu::always_inline]] double load_memory(std::uint64_t physical, bool far) {
    const MemoryDescription& memory = gpu_.memory;
    bool other_row = noise_.random().chance(memory.row_share);
    if (memory.open_rows) other_row = opens_row(physical);
    return memory.extra + (far ? memory.far_extra : 0) + noise_.memory(memory, other_row);
  }
  /// Opens the row at this address; whether it was not open before.
  bool opens_row(std::uint64_t physical);
  /// Drops the line in all partitions but its home.
  void drop_copies(const Address& address);
  [[nodiscard]] std::uint32_t home_of(std::uint64_t physical) const;
  [[nodiscard]] std::uint64_t frame_of(std::uint64_t page) const;

  /// A page whose place was computed lately.
  struct Placed {
    std::uint64_t page = ~std::uint64_t{0};
    std::uint64_t frame = 0;
  };

  Gpu gpu_;
  Noise noise_;
  Parities home_;
  std::vector<Cache> l2_;                 ///< by partition
  std::array<double, 2> far_extra_;       ///< of a near partition and a far one: a table, since homes are at random
  std::vector<float> l2_latencies_;       ///< by SM and slice
  std::vector<std::vector<Cache>> tlbs_;  ///< by level and instance
  std::vector<Cache*> tlbs_of_sm_;        ///< by SM and level
  std::vector<Cache*> written_tlbs_;      ///< that writes from outside use: of levels that SMs share
  std::optional<Cache> walk_cache_;
  std::vector<std::unique_ptr<Cache>> first_levels_;  ///< by level, SM and instance; made when used
  std::vector<std::unique_ptr<Cache>> constant_l1_;   ///< by SM and instance
  std::vector<Cache> constant_l15_;                   ///< by instance
  std::int64_t carveout_ = 0;
  std::uint64_t window_ = 0;              ///< number of the active one
  std::vector<std::uint64_t> open_rows_;  ///< by bank
  std::vector<Placed> placed_;            ///< by the low bits of the page's number
  unsigned page_shift_;
  bool is_large_ = false;
};

}  // namespace independent

#endif
