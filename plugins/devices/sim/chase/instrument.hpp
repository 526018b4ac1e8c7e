#ifndef TOMOGRAPH_SIM_CHASE_INSTRUMENT_HPP
#define TOMOGRAPH_SIM_CHASE_INSTRUMENT_HPP

#include "sim/chase/execution.hpp"
#include "tomograph/instrument.hpp"

namespace tomograph::sim {

/// Answers chase programs.
class Chase : public Instrument {
 public:
  /// `hierarchy` must outlive the object.
  Chase(const Hierarchy& hierarchy, const Options& options) : hierarchy_(&hierarchy), options_(options) {}

  [[nodiscard]] std::string_view id() const override { return TOMOGRAPH_CHASE_ID; }
  [[nodiscard]] std::vector<Answer> execute(std::span<const Experiment> batch) override;

 private:
  const Hierarchy* hierarchy_;
  Options options_;
};

}  // namespace tomograph::sim

#endif
