#ifndef TOMOGRAPH_SIM_CHASE_EXECUTION_HPP
#define TOMOGRAPH_SIM_CHASE_EXECUTION_HPP

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sim/chase/instances.hpp"
#include "sim/chase/layout.hpp"
#include "sim/options.hpp"

namespace tomograph::sim {

/// Runs chase programs, one at a time. What a program returns depends on the GPU, the options and the
/// program alone, not on what ran before it; the object only keeps memory from one to the next.
class Execution {
 public:
  /// `hierarchy` must outlive the object.
  Execution(const Hierarchy& hierarchy, const Options& options) : hierarchy_(hierarchy), options_(options) {}

  /// `program` must not break a rule of `chase::violation`.
  /// @throws Refused if this GPU cannot run it.
  [[nodiscard]] chase::Result run(const chase::Program& program);

 private:
  struct Sm {
    std::int64_t number = 0;
    std::uint32_t partition = 0;
    std::vector<std::int32_t> distances;
  };
  struct Served {
    std::uint32_t cycles;
    Level level;
  };
  /// A cache or a TLB level on the way of an actor along a ring.
  struct Stage {
    CacheState* state;
    std::span<const Place> places;
    const Request* request;
    std::uint32_t cycles;  ///< of a hit in a cache, of a miss in a TLB
    bool translates;
  };
  /// One warp of an actor on its way along a ring.
  struct Walk {
    const Sm* sm;
    std::size_t nodes;
    std::vector<Stage> caches;
    std::vector<Stage> tlb;
    const Route* route;
    std::span<const Place> l2;
    std::span<const Place> windows;
    std::uint32_t delay;
    bool in_shared_memory;
  };

  void expect_countable_uses(const chase::Program& program) const;
  void expect_paths(const chase::Program& program) const;
  void expect_memory(const chase::Program& program, const Placement& placement) const;
  [[nodiscard]] std::size_t carveout(const chase::Program& program) const;
  [[nodiscard]] std::int64_t shared_bytes(const chase::Program& program) const;
  void place_actors(const chase::Program& program, std::uint64_t seed);
  void find_instances(const chase::Program& program);
  void reset_caches(const chase::Program& program);

  [[nodiscard]] Walk walk(const chase::Program& program, const chase::Phase& phase, std::int64_t warp);
  void run_phase(const chase::Program& program, const chase::Phase& phase, chase::Result& result);
  void time_each(const Walk& walk, const chase::Phase& phase, chase::Result& result);
  [[nodiscard]] double time_total(std::span<const Walk> warps, const chase::Phase& phase, std::size_t threads);

  Served load(const Walk& walk, std::size_t position);
  Served load_beyond_caches(const Walk& walk, std::size_t position, std::uint32_t cycles);
  [[gnu::always_inline]] void prepare_l2(const Walk& walk, std::size_t position) const;
  void fetch_rest_of_block(const Walk& walk, const Place& place);
  Served serve_from_l2(std::uint32_t partition, std::uint32_t line, std::uint32_t sector, const Request& request);
  std::uint32_t translate(const Walk& walk, std::size_t position);
  std::uint32_t walk_page_table(const Walk& walk, std::size_t position);
  std::uint32_t activate_window(const Walk& walk, std::size_t position);

  const Hierarchy& hierarchy_;
  Options options_;
  Layout layout_;
  Random replacement_;
  Random noise_;
  std::optional<Outliers> outliers_;
  std::vector<Sm> sms_;
  std::vector<std::size_t> sm_of_actor_;
  std::vector<Instances> caches_;      ///< by private cache
  std::vector<Instances> tlb_;         ///< by level
  std::vector<CacheState> l2_;         ///< by partition
  std::vector<std::uint32_t> walked_;  ///< by entry of the last TLB level: sub-entries that were ever asked for
  std::optional<std::uint32_t> active_window_;
};

}  // namespace tomograph::sim

#endif
