#ifndef TOMOGRAPH_SIM_L2_LINES_EVICTION_HPP
#define TOMOGRAPH_SIM_L2_LINES_EVICTION_HPP

#include <vector>

#include "sim/chase/hierarchy.hpp"
#include "sim/options.hpp"
#include "tomograph/instrument.hpp"
#include "tomograph/l2_lines.hpp"

namespace tomograph::sim {

/// Answers tomograph.l2_eviction/1 load by load, by the L2's sets and its replacement. The L2 is empty when an
/// experiment begins. SMs that walk together take turns. Neither clock steps nor an intruder disturb it.
class L2Eviction : public Instrument {
 public:
  /// `hierarchy` must outlive the object.
  L2Eviction(const Hierarchy& hierarchy, const Options& options) : hierarchy_(&hierarchy), options_(options) {}

  [[nodiscard]] std::string_view id() const override { return TOMOGRAPH_L2_EVICTION_ID; }
  [[nodiscard]] std::vector<Answer> execute(std::span<const Experiment> batch) override;

 private:
  [[nodiscard]] l2_lines::EvictionResult run(const l2_lines::Evictions& program, const Experiment& experiment);

  const Hierarchy* hierarchy_;
  Options options_;
  std::vector<std::uint32_t> numbers_;  ///< of lines in the present experiment; all zero between experiments
};

}  // namespace tomograph::sim

#endif
