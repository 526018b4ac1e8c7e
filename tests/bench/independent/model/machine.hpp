#ifndef TOMOGRAPH_BENCH_INDEPENDENT_MACHINE_HPP
#define TOMOGRAPH_BENCH_INDEPENDENT_MACHINE_HPP

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "cache.hpp"
#include "description.hpp"
#include "noise.hpp"

namespace independent {

/// An address of memory as the SM and as the memory sees it.
struct Address {
  std::uint64_t logical = 0;
  std::uint64_t physical = 0;
};

/// A simulated GPU with the contents of its caches and TLBs.
class Machine {
 public:
  /// `run` distinguishes the noise of several runs of the same GPU.
  Machine(Gpu gpu, std::uint64_t run);

  [[nodiscard]] const Gpu& gpu() const { return gpu_; }
  Noise& noise() { return noise_; }

  /// Begins a program with a carve-out of so many bytes: what one SM has for itself is empty again.
  void begin_program(std::int64_t carveout = 0);
  /// Writes to global memory or to constants from outside, through L2.
  void write(Address address, bool translated);

  /// Cycles of a load. `warp` is the number of the warp that loads.
  double load_global(PathOfFirstLevel path, std::uint32_t sm, std::uint32_t warp, Address address);
  double load_past_first_level(std::uint32_t sm, Address address);
  double load_constant(std::uint32_t sm, std::uint32_t warp, Address address);

  /// The physical address of a logical one.
  [[nodiscard]] std::uint64_t placed(std::uint64_t logical);

 private:
  [[nodiscard]] Cache& first_level(int level, std::uint32_t sm, std::uint32_t warp);
  [[nodiscard]] Cache& constant_l1(std::uint32_t sm, std::uint32_t warp);
  double translate(std::uint32_t sm, std::uint64_t logical);
  double walk(std::uint64_t logical);
  /// Latency of L2 and what lies behind, for one sector.
  double load_l2(std::uint32_t sm, std::uint64_t physical);
  /// The same for all bytes that a miss of `cache` at `address` fetches.
  double fetch(std::uint32_t sm, const CacheDescription& cache, std::uint64_t physical, bool waits_for_all);
  double load_memory(std::uint64_t physical, bool far);
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
  std::vector<std::vector<Cache>> tlbs_;  ///< by level and instance
  std::optional<Cache> walk_cache_;
  std::vector<std::unique_ptr<Cache>> first_levels_;  ///< by level, SM and instance; made when used
  std::vector<std::unique_ptr<Cache>> constant_l1_;   ///< by SM and instance
  std::vector<Cache> constant_l15_;                   ///< by instance
  std::int64_t carveout_ = 0;
  std::uint64_t window_ = 0;              ///< number of the active one
  std::vector<std::uint64_t> open_rows_;  ///< by bank
  std::vector<Placed> placed_;            ///< by the low bits of the page's number
  unsigned page_shift_;
};

}  // namespace independent

#endif
