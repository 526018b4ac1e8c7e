#ifndef TOMOGRAPH_SIM_CHASE_EXECUTION_HPP
#define TOMOGRAPH_SIM_CHASE_EXECUTION_HPP

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sim/chase/layout.hpp"
#include "sim/chase/memory_system.hpp"
#include "sim/chase/schedule.hpp"
#include "sim/options.hpp"

namespace tomograph::sim {

/// Runs chase programs, one at a time. Results depend only on the GPU, the options and the program, not on earlier
/// programs; the object merely reuses its memory.
class Execution {
 public:
  /// `hierarchy` must outlive the object.
  Execution(const Hierarchy& hierarchy, const Options& options)
      : hierarchy_(hierarchy), options_(options), memory_(hierarchy, options.noise) {}

  /// `program` must not break a rule of `chase::violation`.
  /// @throws Refused if this GPU cannot run it.
  [[nodiscard]] chase::Result run(const chase::Program& program);

 private:
  void expect_countable_uses(const chase::Program& program) const;
  void expect_paths(const chase::Program& program) const;
  void expect_memory(const chase::Program& program, const Placement& placement) const;
  [[nodiscard]] std::size_t carveout(const chase::Program& program) const;
  [[nodiscard]] std::int64_t shared_bytes(const chase::Program& program) const;
  void place_actors(const chase::Program& program, std::uint64_t seed);
  void run_phase(const chase::Program& program, const chase::Phase& phase, chase::Result& result);
  [[nodiscard]] chase::Result::Trace time_each(Walk& walk, Schedule& schedule, std::size_t loads);
  [[nodiscard]] double time_total(std::span<Walk> walks, Schedule& schedule, chase::Timing timing, std::size_t threads);

  const Hierarchy& hierarchy_;
  Options options_;
  Layout layout_;
  MemorySystem memory_;
  Batch batch_;
  Random noise_;
  std::optional<Outliers> outliers_;
  std::vector<Sm> sms_;
  std::vector<std::size_t> sm_of_actor_;
};

}  // namespace tomograph::sim

#endif
