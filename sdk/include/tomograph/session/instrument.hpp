#ifndef TOMOGRAPH_INSTRUMENT_HPP
#define TOMOGRAPH_INSTRUMENT_HPP

#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "tomograph/experiment/experiment.hpp"

namespace tomograph {

/// What of a device answers the experiments of one identifier.
class Instrument {
 public:
  Instrument() = default;
  Instrument(const Instrument&) = delete;
  Instrument& operator=(const Instrument&) = delete;
  virtual ~Instrument() = default;

  /// The identifier, e.g. "tomograph.chase/1".
  [[nodiscard]] virtual std::string_view id() const = 0;
  /// One answer per experiment, in order; all of them bear the identifier. @throws DeviceLost.
  [[nodiscard]] virtual std::vector<Answer> execute(std::span<const Experiment> batch) = 0;
};

/// Answers experiments one by one. What `answer` throws becomes a refusal of that experiment: std::invalid_argument
/// is INVALID, Refused what it says, any other exception FAILED; but DeviceLost is thrown on.
[[nodiscard]] std::vector<Answer> answer_each(std::span<const Experiment> batch,
                                              const std::function<Arrays(const Experiment&)>& answer);

/// All instruments of a device. One thread at a time.
class Instruments {
 public:
  /// `device` names the device in refusals.
  explicit Instruments(std::string_view device) : device_(device) {}

  void add(std::unique_ptr<Instrument> instrument) { instruments_.push_back(std::move(instrument)); }

  /// One answer per experiment, in order. Each instrument gets its part of the batch as one batch; what no instrument
  /// is for is refused as unsupported. @throws DeviceLost.
  [[nodiscard]] std::vector<Answer> execute(std::span<const Experiment> batch);

 private:
  std::string device_;
  std::vector<std::unique_ptr<Instrument>> instruments_;
};

}  // namespace tomograph

#endif
