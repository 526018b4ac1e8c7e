#ifndef TOMOGRAPH_SIM_CHASE_EXECUTION_HPP
#define TOMOGRAPH_SIM_CHASE_EXECUTION_HPP

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

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
  /// The caches that belong to one SM.
  struct Sm {
    std::int64_t number = 0;
    std::uint32_t partition = 0;
    std::vector<std::int32_t> distances;
    CacheState l1;
    std::vector<CacheState> tlb;
  };
  struct Served {
    std::uint32_t cycles;
    Level level;
  };
  /// One actor on its way along a ring.
  struct Walk {
    Sm* sm;
    bool in_l1;
    std::span<const Node> nodes;
    std::size_t ring;
  };

  void expect_countable_uses(const chase::Program& program) const;
  [[nodiscard]] const Organisation* l1_organisation(const chase::Program& program) const;
  void place_actors(const chase::Program& program, std::uint64_t seed);
  void reset_caches(const chase::Program& program);
  void reset_sm(Sm& sm, const Organisation* l1);

  void run_phase(const chase::Program& program, const chase::Phase& phase, chase::Result& result);
  void time_each(const Walk& walk, const chase::Phase& phase, chase::Result& result);
  [[nodiscard]] double time_total(const Walk& walk, const chase::Phase& phase, std::size_t threads);

  Served load(const Walk& walk, std::size_t position);
  Served load_beyond_l1(const Walk& walk, std::size_t position, const Request& request);
  [[gnu::always_inline]] void prepare_l2(const Walk& walk, std::size_t position) const;
  void fetch_rest_of_block(const Sm& sm, const Node& node, const Request& request);
  Served serve_from_l2(std::uint32_t partition, std::uint32_t line, std::uint32_t sector, const Request& request);
  std::uint32_t translate(const Walk& walk, std::size_t position);

  const Hierarchy& hierarchy_;
  Options options_;
  Layout layout_;
  Random replacement_;
  Random noise_;
  std::optional<Outliers> outliers_;
  std::vector<Sm> sms_;
  std::vector<std::size_t> sm_of_actor_;
  std::vector<CacheState> l2_;  ///< by partition
};

}  // namespace tomograph::sim

#endif
