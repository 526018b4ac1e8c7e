#ifndef TOMOGRAPH_SIM_L2_LINES_TIMED_LOADS_HPP
#define TOMOGRAPH_SIM_L2_LINES_TIMED_LOADS_HPP

#include <vector>

#include "sim/chase/hierarchy.hpp"
#include "sim/l2_lines/memory_map.hpp"
#include "sim/options.hpp"
#include "tomograph/instrument.hpp"
#include "tomograph/l2_lines.hpp"

namespace tomograph::sim {

/// Answers tomograph.l2_loads/1 by the banks of the memory behind the L2. Lines of a slice share a channel.
class L2Loads : public Instrument {
 public:
  /// `hierarchy` must outlive the object.
  L2Loads(const Hierarchy& hierarchy, const Options& options)
      : hierarchy_(&hierarchy), options_(options), map_(hierarchy, options_) {}

  [[nodiscard]] std::string_view id() const override { return TOMOGRAPH_L2_LOADS_ID; }
  [[nodiscard]] std::vector<Answer> execute(std::span<const Experiment> batch) override;

 private:
  [[nodiscard]] l2_lines::LoadsResult run(const l2_lines::Loads& program, const Experiment& experiment);

  const Hierarchy* hierarchy_;
  Options options_;
  MemoryMap map_;
  std::vector<std::uint32_t> numbers_;  ///< of lines in the present experiment; all zero between experiments
};

}  // namespace tomograph::sim

#endif
