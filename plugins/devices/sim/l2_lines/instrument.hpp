#ifndef TOMOGRAPH_SIM_L2_LINES_INSTRUMENT_HPP
#define TOMOGRAPH_SIM_L2_LINES_INSTRUMENT_HPP

#include "sim/chase/hierarchy.hpp"
#include "sim/options.hpp"
#include "tomograph/instrument.hpp"
#include "tomograph/l2_lines.hpp"

namespace tomograph::sim {

/// Answers tomograph.l2_latency/1 for GPUs with a slice function. A load takes the latency of the near or the far
/// partition and the distance between SM and slice. The mean of the middle half of n latencies that vary normally
/// varies normally itself, with 1.19 / n of their variance (Tukey 1960, midmean); late loads do not reach it.
class L2Latency : public Instrument {
 public:
  /// `hierarchy` must outlive the object.
  L2Latency(const Hierarchy& hierarchy, const Options& options) : hierarchy_(&hierarchy), options_(options) {}

  [[nodiscard]] std::string_view id() const override { return TOMOGRAPH_L2_LATENCY_ID; }
  [[nodiscard]] std::vector<Answer> execute(std::span<const Experiment> batch) override;

 private:
  [[nodiscard]] l2_lines::LatencyResult run(const l2_lines::Latencies& program, const Experiment& experiment) const;

  const Hierarchy* hierarchy_;
  Options options_;
};

/// Answers tomograph.l2_contention/1 for GPUs with a slice function: the busiest slice, the rate at which SMs issue, or
/// the latency of their loads limits the rate of a set, whichever is slowest. Each partition has slices of its own.
class L2Contention : public Instrument {
 public:
  /// `hierarchy` must outlive the object.
  L2Contention(const Hierarchy& hierarchy, const Options& options) : hierarchy_(&hierarchy), options_(options) {}

  [[nodiscard]] std::string_view id() const override { return TOMOGRAPH_L2_CONTENTION_ID; }
  [[nodiscard]] std::vector<Answer> execute(std::span<const Experiment> batch) override;

 private:
  [[nodiscard]] l2_lines::ContentionResult run(const l2_lines::Contention& program, const Experiment& experiment) const;

  const Hierarchy* hierarchy_;
  Options options_;
};

}  // namespace tomograph::sim

#endif
