#ifndef TOMOGRAPH_HOST_RUNNING_CONDITION_LOG_HPP
#define TOMOGRAPH_HOST_RUNNING_CONDITION_LOG_HPP

#include <chrono>
#include <string>
#include <vector>

#include "topology/conditions.hpp"

namespace tomograph::host {

/// Collects the conditions of a run and which probe ran when. Times count from the construction.
class ConditionLog {
 public:
  /// A probe begins, or ends, now.
  void begin(const std::string& probe);
  void end(const std::string& probe, const Disturbances& disturbances);
  /// Takes a sample with a time of the steady clock.
  void add(ConditionSample sample);

  /// Adds "conditions" and "findings" to the provenance, and a curve "conditions" to the evidence of each probe.
  /// Without samples, or if nothing happened, there are none.
  void describe(Topology& topology, Evidence& evidence) const;

 private:
  [[nodiscard]] double now() const;

  double start_ = std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  std::vector<ConditionSample> samples_;
  std::vector<ProbeSpan> spans_;
};

}  // namespace tomograph::host

#endif
