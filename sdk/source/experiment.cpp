#include "tomograph/experiment.hpp"

#include <algorithm>
#include <exception>
#include <stdexcept>
#include <utility>

namespace tomograph {

namespace {

template <typename T>
constexpr tomograph_element element_of = TOMOGRAPH_I64;
template <>
constexpr tomograph_element element_of<std::uint32_t> = TOMOGRAPH_U32;
template <>
constexpr tomograph_element element_of<double> = TOMOGRAPH_F64;

template <typename T>
Numbers copy_numbers(const tomograph_array& array) {
  const auto* first = static_cast<const T*>(array.data);
  return std::vector<T>(first, first + array.count);
}

/// A chase is answered with seven arrays, most others with fewer.
constexpr std::size_t usual_arrays = 7;

Answer& at(void* context, std::uint64_t experiment) {
  return static_cast<std::vector<Answer>*>(context)->at(experiment);
}

void refuse(Answer& answer, tomograph_status status, const char* reason) { answer = {{}, status, reason}; }

}  // namespace

tomograph_array view(const NamedArray& array) {
  return std::visit(
      [&]<typename T>(const std::vector<T>& values) {
        return tomograph_array{sizeof(tomograph_array), element_of<T>, array.name.c_str(), values.data(),
                               values.size()};
      },
      array.numbers);
}

NamedArray copy(const tomograph_array& array) {
  if (array.name == nullptr) throw std::invalid_argument("an array has no name");
  const std::string name = array.name;
  if (array.data == nullptr && array.count != 0) throw std::invalid_argument("array '" + name + "' has no data");
  switch (array.element) {
    case TOMOGRAPH_I64: return {name, copy_numbers<std::int64_t>(array)};
    case TOMOGRAPH_U32: return {name, copy_numbers<std::uint32_t>(array)};
    case TOMOGRAPH_F64: return {name, copy_numbers<double>(array)};
    default: throw std::invalid_argument("array '" + name + "' has an unknown element type");
  }
}

Experiment copy(const tomograph_experiment& experiment) {
  if (experiment.id == nullptr) throw std::invalid_argument("an experiment has no id");
  Experiment result{experiment.id, {}};
  result.parameters.reserve(experiment.parameter_count);
  for (std::uint32_t i = 0; i < experiment.parameter_count; ++i) {
    result.parameters.push_back(copy(*experiment.parameters[i]));
  }
  return result;
}

const NamedArray* find(std::span<const NamedArray> arrays, std::string_view name) {
  const auto found = std::ranges::find(arrays, name, &NamedArray::name);
  return found == arrays.end() ? nullptr : &*found;
}

template <typename T>
std::span<const T> numbers(std::span<const NamedArray> arrays, std::string_view name) {
  const NamedArray* array = find(arrays, name);
  if (array == nullptr) throw std::invalid_argument("array '" + std::string(name) + "' is missing");
  const auto* values = std::get_if<std::vector<T>>(&array->numbers);
  if (values == nullptr) throw std::invalid_argument("array '" + std::string(name) + "' has the wrong element type");
  return *values;
}

template std::span<const std::int64_t> numbers(std::span<const NamedArray>, std::string_view);
template std::span<const std::uint32_t> numbers(std::span<const NamedArray>, std::string_view);
template std::span<const double> numbers(std::span<const NamedArray>, std::string_view);

BatchView::BatchView(std::span<const Experiment> experiments) {
  std::size_t array_count = 0;
  for (const Experiment& experiment : experiments) array_count += experiment.parameters.size();
  arrays_.reserve(array_count);
  array_pointers_.reserve(array_count);
  experiments_.reserve(experiments.size());
  experiment_pointers_.reserve(experiments.size());
  for (const Experiment& experiment : experiments) {
    const std::size_t first = array_pointers_.size();
    for (const NamedArray& parameter : experiment.parameters) {
      array_pointers_.push_back(&arrays_.emplace_back(view(parameter)));
    }
    experiment_pointers_.push_back(&experiments_.emplace_back(
        tomograph_experiment{sizeof(tomograph_experiment), static_cast<std::uint32_t>(experiment.parameters.size()),
                             experiment.id.c_str(), array_pointers_.data() + first}));
  }
}

AnswerCollector::AnswerCollector(std::size_t batch_size)
    : answers_(batch_size),
      sink_{sizeof(tomograph_result_sink), &answers_,
            [](void* context, std::uint64_t experiment, const tomograph_array* array) {
              try {
                Answer& answer = at(context, experiment);
                if (answer.arrays.empty()) {
                  answer = {};  // maybe a refusal
                  answer.arrays.reserve(usual_arrays);
                }
                answer.arrays.push_back(copy(*array));
              } catch (const std::invalid_argument& error) {
                refuse(at(context, experiment), TOMOGRAPH_INVALID, error.what());
              } catch (const std::exception&) {
                return;  // an answer to an experiment that nobody asked for
              }
            },
            [](void* context, std::uint64_t experiment, tomograph_status status, const char* reason) {
              try {
                refuse(at(context, experiment), status, reason == nullptr ? "no reason given" : reason);
              } catch (const std::exception&) {
                return;
              }
            }} {}

std::vector<Answer> AnswerCollector::take() {
  for (Answer& answer : answers_) {
    if (answer.arrays.empty() && answer.status == TOMOGRAPH_OK) {
      refuse(answer, TOMOGRAPH_FAILED, "the device gave no answer");
    }
  }
  return std::exchange(answers_, {});
}

}  // namespace tomograph
