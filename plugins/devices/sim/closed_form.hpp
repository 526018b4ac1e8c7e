#ifndef TOMOGRAPH_SIM_CLOSED_FORM_HPP
#define TOMOGRAPH_SIM_CLOSED_FORM_HPP

#include "sim/gpu/description.hpp"
#include "sim/options.hpp"
#include "tomograph/instrument.hpp"

namespace tomograph::sim {

/// Answers each experiment by a formula: a function of the description, the options and the experiment.
class ClosedForm : public Instrument {
 public:
  /// @throws std::invalid_argument for an experiment that breaks its rules, Refused for one that the description
  /// cannot answer.
  using Formula = Arrays (*)(const Gpu&, const Options&, const Experiment&);

  /// `id` is a literal. `gpu` must outlive the object.
  ClosedForm(const char* id, Formula formula, const Gpu& gpu, const Options& options)
      : id_(id), formula_(formula), gpu_(&gpu), options_(options) {}

  [[nodiscard]] std::string_view id() const override { return id_; }
  [[nodiscard]] std::vector<Answer> execute(std::span<const Experiment> batch) override {
    return answer_each(batch, [this](const Experiment& experiment) { return formula_(*gpu_, options_, experiment); });
  }

 private:
  const char* id_;
  Formula formula_;
  const Gpu* gpu_;
  Options options_;
};

}  // namespace tomograph::sim

#endif
