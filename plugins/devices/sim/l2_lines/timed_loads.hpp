#ifndef TOMOGRAPH_SIM_L2_LINES_TIMED_LOADS_HPP
#define TOMOGRAPH_SIM_L2_LINES_TIMED_LOADS_HPP

#include <vector>

#include "sim/chase/hierarchy.hpp"
#include "sim/options.hpp"
#include "tomograph/instrument.hpp"
#include "tomograph/l2_lines.hpp"

namespace tomograph::sim {

/// Answers tomograph.l2_loads/1 by the L2's sets and the banks of the memory behind it. Lines of a set share
/// a channel. The L2 is empty when an experiment begins.
class L2Loads : public Instrument {
 public:
  /// `hierarchy` must outlive the object.
  L2Loads(const Hierarchy& hierarchy, const Options& options) : hierarchy_(&hierarchy), options_(options) {}

  [[nodiscard]] std::string_view id() const override { return TOMOGRAPH_L2_LOADS_ID; }
  [[nodiscard]] std::vector<Answer> execute(std::span<const Experiment> batch) override;

 private:
  [[nodiscard]] l2_lines::LoadsResult run(const l2_lines::Loads& program, const Experiment& experiment);

  const Hierarchy* hierarchy_;
  Options options_;
  std::vector<std::uint32_t> numbers_;  ///< of lines in the present experiment; all zero between experiments
};

}  // namespace tomograph::sim

#endif
