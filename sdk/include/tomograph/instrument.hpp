#ifndef TOMOGRAPH_INSTRUMENT_HPP
#define TOMOGRAPH_INSTRUMENT_HPP

#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "tomograph/experiment.hpp"

namespace tomograph {

/// The part of a device that executes the experiments of one identifier.
class Instrument {
 public:
  Instrument() = default;
  Instrument(const Instrument&) = delete;
  Instrument& operator=(const Instrument&) = delete;
  virtual ~Instrument() = default;

  /// The identifier, e.g. "tomograph.chase/1".
  [[nodiscard]] virtual std::string_view id() const = 0;
  /// One answer per experiment, in order. All experiments have the identifier. @throws DeviceLost.
  [[nodiscard]] virtual std::vector<Answer> execute(std::span<const Experiment> batch) = 0;
};

/// Answers experiments one by one. An exception from `answer` refuses its experiment: std::invalid_argument as INVALID,
/// Refused with its status, others as FAILED. DeviceLost is rethrown.
[[nodiscard]] std::vector<Answer> answer_each(std::span<const Experiment> batch,
                                              const std::function<Arrays(const Experiment&)>& answer);

/// All instruments of a device. Used by one thread at a time.
class Instruments {
 public:
  /// `device` names the device in refusals.
  explicit Instruments(std::string_view device) : device_(device) {}

  void add(std::unique_ptr<Instrument> instrument) { instruments_.push_back(std::move(instrument)); }

  /// One answer per experiment, in order. Each instrument gets its experiments as one batch. Experiments without an
  /// instrument are refused as unsupported. @throws DeviceLost.
  [[nodiscard]] std::vector<Answer> execute(std::span<const Experiment> batch);

 private:
  std::string device_;
  std::vector<std::unique_ptr<Instrument>> instruments_;
};

}  // namespace tomograph

#endif
