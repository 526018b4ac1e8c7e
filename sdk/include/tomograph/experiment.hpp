#ifndef TOMOGRAPH_EXPERIMENT_HPP
#define TOMOGRAPH_EXPERIMENT_HPP

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tomograph/abi/experiment.h"

namespace tomograph {

/// The numbers of one array, in one of the three element types of the boundary.
using Numbers = std::variant<std::vector<std::int64_t>, std::vector<std::uint32_t>, std::vector<double>>;

/// A named run of numbers that owns its memory.
struct NamedArray {
  std::string name;
  Numbers numbers;

  bool operator==(const NamedArray&) const = default;
};

/// View of `array` as it crosses the boundary; valid as long as `array` is neither changed nor moved.
[[nodiscard]] tomograph_array view(const NamedArray& array);

/// Copy of an array that crossed the boundary.
/// @throws std::invalid_argument if the element type is unknown, the name is null or the data missing.
[[nodiscard]] NamedArray copy(const tomograph_array& array);

/// A plain-data request to a device. See abi/experiment.h for what makes two of them the same.
struct Experiment {
  std::string id;
  std::vector<NamedArray> parameters;

  bool operator==(const Experiment&) const = default;
};

/// Copy of an experiment that crossed the boundary. @throws std::invalid_argument as `copy` of an array.
[[nodiscard]] Experiment copy(const tomograph_experiment& experiment);

/// What came back for one experiment: arrays, or why it was refused.
struct Answer {
  std::vector<NamedArray> arrays;
  tomograph_status status = TOMOGRAPH_OK;
  std::string reason = {};

  bool operator==(const Answer&) const = default;
};

/// The array called `name`, or null. Arrays are few: the search is linear.
[[nodiscard]] const NamedArray* find(std::span<const NamedArray> arrays, std::string_view name);

/// The elements of the array called `name` as `T` (std::int64_t, std::uint32_t or double).
/// @throws std::invalid_argument naming the array if it is missing or of another type.
template <typename T>
[[nodiscard]] std::span<const T> numbers(std::span<const NamedArray> arrays, std::string_view name);

/// A batch in the form that crosses the boundary. Borrows from the experiments it was made of, which must
/// outlive it unchanged.
class BatchView {
 public:
  explicit BatchView(std::span<const Experiment> experiments);
  BatchView(const BatchView&) = delete;
  BatchView& operator=(const BatchView&) = delete;

  [[nodiscard]] const tomograph_experiment* const* data() const { return experiment_pointers_.data(); }
  [[nodiscard]] std::uint64_t size() const { return experiment_pointers_.size(); }

 private:
  std::vector<tomograph_array> arrays_;
  std::vector<const tomograph_array*> array_pointers_;
  std::vector<tomograph_experiment> experiments_;
  std::vector<const tomograph_experiment*> experiment_pointers_;
};

/// Collects the answers to a batch. Never throws into its caller: a broken answer becomes a refusal.
class AnswerCollector {
 public:
  explicit AnswerCollector(std::size_t batch_size);
  AnswerCollector(const AnswerCollector&) = delete;
  AnswerCollector& operator=(const AnswerCollector&) = delete;

  /// The sink to hand over; valid as long as the collector.
  [[nodiscard]] const tomograph_result_sink* sink() const { return &sink_; }
  /// The answers so far, in the order of the batch; the collector is empty afterwards.
  [[nodiscard]] std::vector<Answer> take();

 private:
  std::vector<Answer> answers_;
  tomograph_result_sink sink_;
};

}  // namespace tomograph

#endif
