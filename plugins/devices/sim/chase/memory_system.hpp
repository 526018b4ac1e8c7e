#ifndef TOMOGRAPH_SIM_CHASE_MEMORY_SYSTEM_HPP
#define TOMOGRAPH_SIM_CHASE_MEMORY_SYSTEM_HPP

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sim/chase/batch.hpp"
#include "sim/chase/instances.hpp"
#include "sim/chase/layout.hpp"
#include "sim/chase/noise.hpp"
#include "sim/chase/prefetch.hpp"

namespace tomograph::sim {

/// An SM that a program uses.
struct Sm {
  std::int64_t number = 0;
  std::uint32_t partition = 0;          ///< the near L2 partition
  std::vector<std::int32_t> distances;  ///< to each slice of the L2, in cycles to add to the latency
};

/// A cache or TLB level that the loads of a warp pass through.
struct Stage {
  CacheState* state;
  std::span<const Place> places;
  const Request* request;
  std::uint32_t cycles;  ///< of a hit in a cache, of a miss in a TLB
  bool translates;
  std::uint32_t lines;   ///< that a load covers
  std::size_t hits = 0;  ///< consecutive hits, counted while all loads reach this stage
};

/// One warp of an actor that follows a ring.
struct Walk {
  const Sm* sm;
  std::size_t nodes;
  bool alone;  ///< one thread, which visits one node after the other
  std::vector<Stage> caches;
  std::vector<Stage> tlb;
  const Route* route;
  std::span<const Place> l2;
  std::span<const Place> windows;
  std::uint32_t delay;
  bool in_shared_memory;
};

/// Caches, TLBs and DRAM of a GPU during a program.
class MemorySystem {
 public:
  /// `hierarchy` must outlive the object. `noise`: whether clock steps and intruder are simulated.
  MemorySystem(const Hierarchy& hierarchy, bool noise)
      : hierarchy_(hierarchy),
        disturbed_(noise && (hierarchy.gpu.noise.clock.share > 0 || hierarchy.gpu.noise.intruder.lines_per_load > 0)) {}

  /// Empties all caches and TLBs for a program. Actor i runs on `sms[sm_of_actor[i]]`. All references must outlive the
  /// run.
  void reset(const chase::Program& program, const Layout& layout, std::span<const Sm> sms,
             std::span<const std::size_t> sm_of_actor, std::size_t carveout, std::uint64_t seed);

  /// The stages that the loads of `warp` on `sm` pass through in `phase`.
  [[nodiscard]] Walk walk(const chase::Program& program, const chase::Phase& phase, const Sm& sm, std::int64_t warp);

  /// Simulates the loads of `batch`, made by the warp of `walk`: sets the level that serves each load, and its cycles.
  void serve(Walk& walk, Batch& batch);

 private:
  /// A request that missed in the near L2 partition and goes to the line's home partition.
  struct Far {
    std::uint32_t line;
    std::uint8_t sector;
    std::uint8_t home;
    std::uint16_t load;
  };

  void reset_disturbance(std::uint64_t seed);
  void set_memory_latencies();
  template <Rule rule>
  void disturb();
  void find_instances(const chase::Program& program, std::span<const Sm> sms, std::span<const std::size_t> sm_of_actor);
  void look_up(const Walk& walk, Stage& stage, Batch& batch);
  void translate(Walk& walk, Batch& batch);
  void walk_page_tables(const Walk& walk, Batch& batch);
  void activate_windows(const Walk& walk, Batch& batch);
  void ask_l2(const Walk& walk, Batch& batch);
  template <Rule rule>
  void ask_near_partition(const Walk& walk, Batch& batch);
  template <Rule rule>
  void ask_homes(const Walk& walk, Batch& batch);
  template <Rule rule>
  void prefetch_following(CacheState& home, std::uint32_t line);
  template <Rule rule>
  void fetch_rest_of_block(const Walk& walk, std::uint32_t line);

  const Hierarchy& hierarchy_;
  bool disturbed_;  ///< by clock steps or an intruder
  Random disturbance_;
  std::optional<Clock> clock_;
  std::optional<RareEvents> intruder_;
  std::uint32_t near_memory_ = 0;  ///< cycles of a load from DRAM at the present clock rate
  std::uint32_t far_memory_ = 0;
  const Layout* layout_ = nullptr;
  std::vector<Instances> caches_;      ///< by private cache
  std::vector<Instances> tlb_;         ///< by level
  std::vector<CacheState> l2_;         ///< by partition
  std::vector<std::uint32_t> walked_;  ///< by entry of the last TLB level: sub-entries whose page was walked before
  std::optional<std::uint32_t> active_window_;
  Selection pending_;       ///< loads of the batch that no level has served yet
  Selection untranslated_;  ///< loads of the batch that no TLB level has translated yet
  std::vector<Far> far_;
  Prefetch prefetch_;
};

}  // namespace tomograph::sim

#endif
