#include "tomograph/experiment.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <new>
#include <stdexcept>
#include <utility>

namespace tomograph {

namespace {

/// Alignment of names and numbers in a block: that of the largest element type.
constexpr std::size_t alignment = 8;
/// Holds the names and numbers of most experiments and answers.
constexpr std::size_t least_block = 512;

constexpr std::size_t aligned(std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

std::span<const std::byte> name_of(const ArrayView& array) {
  const char* name = array.crossing().name;
  return std::as_bytes(std::span(name, std::strlen(name) + 1));
}

std::span<const std::byte> numbers_of(const ArrayView& array) {
  return array.visit([](auto numbers) { return std::as_bytes(numbers); });
}

std::size_t bytes_of(const ArrayView& array) {
  return aligned(numbers_of(array).size()) + aligned(name_of(array).size());
}

std::size_t bytes_of(const Arrays& arrays) {
  std::size_t sum = 0;
  for (const ArrayView& array : arrays) sum += bytes_of(array);
  return sum;
}

/// The answer to a chase has seven arrays, most others have fewer.
constexpr std::size_t usual_arrays = 7;

}  // namespace

ArrayView::ArrayView(const NamedArray& array)
    : array_(std::visit([&](const auto& numbers) { return ArrayView(array.name.c_str(), numbers).array_; },
                        array.numbers)) {}

bool ArrayView::has_numbers_of(const ArrayView& other) const {
  if (element() != other.element()) return false;
  return visit(
      [&]<typename T>(std::span<const T> numbers) { return std::ranges::equal(numbers, other.numbers_as<T>()); });
}

std::string ArrayView::quoted() const { return "'" + std::string(name()) + "'"; }

void ArrayView::refuse_type() const {
  throw std::invalid_argument("array " + quoted() + " has the wrong element type");
}

void ArrayView::refuse_broken() const {
  if (array_.name == nullptr) throw std::invalid_argument("an array has no name");
  if (array_.data == nullptr && array_.count != 0) throw std::invalid_argument("array " + quoted() + " has no data");
  throw std::invalid_argument("array " + quoted() + " has an unknown element type");
}

NamedArray copy(const tomograph_array& array) {
  const ArrayView view(array);
  return view.visit([&](auto numbers) {
    return NamedArray{std::string(view.name()), std::vector(numbers.begin(), numbers.end())};
  });
}

Arrays::Arrays(std::vector<ArrayView> arrays) : views_(std::move(arrays)) { own_with_room(0); }

Arrays::Arrays(const Arrays& other) : views_(other.views_) { own_with_room(0); }

Arrays Arrays::borrow(std::span<const tomograph_array* const> arrays) {
  Arrays borrowed;
  borrowed.views_.reserve(arrays.size());
  for (const tomograph_array* array : arrays) borrowed.views_.emplace_back(*array);
  return borrowed;
}

void Arrays::add(const ArrayView& array) {
  views_.push_back(array);
  if (block_ != nullptr && place(views_.back())) return;
  own_with_room(std::max(bytes_of(*this), least_block));
}

void Arrays::own_with_room(std::size_t bytes) {
  if (bytes == 0 && views_.empty()) return;
  const auto old = std::exchange(block_, std::make_shared<Block>(bytes + bytes_of(*this)));
  for (ArrayView& array : views_) place(array);
}

bool Arrays::place(ArrayView& array) {
  const auto numbers = numbers_of(array);
  const auto name = name_of(array);
  const std::size_t begin = block_->used;
  const std::size_t behind_numbers = begin + aligned(numbers.size());
  const std::size_t end = behind_numbers + aligned(name.size());
  if (end > block_->capacity) return false;
  block_->used = end;
  std::byte* const memory = block_->memory.get();
  if (!numbers.empty()) std::memcpy(memory + begin, numbers.data(), numbers.size());
  std::memcpy(memory + behind_numbers, name.data(), name.size());
  array.array_.data = memory + begin;
  array.array_.name = reinterpret_cast<const char*>(memory + behind_numbers);
  return true;
}

Arrays ArrayMemory::arrays(std::size_t arrays) {
  // A chunk holds a dozen experiments or more: fewer allocations, and little memory lost while one of them lives.
  constexpr std::size_t chunk = std::size_t{32} << 10;
  constexpr std::size_t usual_bytes = std::size_t{2} << 10;
  if (chunk_ == nullptr || chunk_->capacity - chunk_->used < usual_bytes) {
    chunk_ = std::make_shared<Arrays::Block>(chunk);
  }
  Arrays made;
  made.views_.reserve(arrays);
  made.block_ = chunk_;
  return made;
}

Experiment borrow(const tomograph_experiment& experiment) {
  if (experiment.id == nullptr) throw std::invalid_argument("an experiment has no id");
  return {experiment.id, Arrays::borrow({experiment.parameters, experiment.parameter_count})};
}

const ArrayView* find(const Arrays& arrays, std::string_view name) {
  const auto* const found = std::ranges::find_if(arrays, [&](const ArrayView& array) { return array.is_called(name); });
  return found == arrays.end() ? nullptr : found;
}

template <Element T>
std::span<const T> numbers(const Arrays& arrays, std::string_view name) {
  const ArrayView* array = find(arrays, name);
  if (array == nullptr) throw std::invalid_argument("array '" + std::string(name) + "' is missing");
  return array->numbers<T>();
}

template std::span<const std::int64_t> numbers(const Arrays&, std::string_view);
template std::span<const std::uint32_t> numbers(const Arrays&, std::string_view);
template std::span<const double> numbers(const Arrays&, std::string_view);

BatchView::BatchView(std::span<const Experiment> experiments) {
  std::size_t array_count = 0;
  for (const Experiment& experiment : experiments) array_count += experiment.parameters.size();
  array_pointers_.reserve(array_count);
  experiments_.reserve(experiments.size());
  experiment_pointers_.reserve(experiments.size());
  for (const Experiment& experiment : experiments) {
    const std::size_t first = array_pointers_.size();
    for (const ArrayView& parameter : experiment.parameters) array_pointers_.push_back(&parameter.crossing());
    experiment_pointers_.push_back(&experiments_.emplace_back(
        tomograph_experiment{sizeof(tomograph_experiment), static_cast<std::uint32_t>(experiment.parameters.size()),
                             experiment.id.c_str(), array_pointers_.data() + first}));
  }
}

AnswerCollector::AnswerCollector(std::size_t batch_size)
    : answers_(batch_size),
      sink_{sizeof(tomograph_result_sink), this,
            [](void* context, std::uint64_t experiment, const tomograph_array* array) {
              static_cast<AnswerCollector*>(context)->add(experiment, *array);
            },
            [](void* context, std::uint64_t experiment, tomograph_status status, const char* reason) {
              static_cast<AnswerCollector*>(context)->refuse(experiment, status, reason);
            }} {}

void AnswerCollector::add(std::uint64_t experiment, const tomograph_array& array) {
  if (experiment >= answers_.size()) return;  // nobody asked for it
  Answer& answer = answers_[experiment];
  try {
    if (answer.arrays.empty()) answer = {memory_.arrays(usual_arrays)};  // maybe a refusal before
    answer.arrays.add(ArrayView(array));
  } catch (const std::invalid_argument& error) {
    refuse(experiment, TOMOGRAPH_INVALID, error.what());
  } catch (const std::exception& error) {
    refuse(experiment, TOMOGRAPH_FAILED, error.what());
  }
}

void AnswerCollector::refuse(std::uint64_t experiment, tomograph_status status, const char* reason) {
  if (experiment >= answers_.size()) return;
  Answer refused{{}, status, {}};
  try {
    refused.reason = reason == nullptr ? "no reason given" : reason;
  } catch (const std::bad_alloc&) {  // refused without its reason
  }
  answers_[experiment] = std::move(refused);
}

std::vector<Answer> AnswerCollector::take() {
  for (Answer& answer : answers_) {
    if (answer.arrays.empty() && answer.status == TOMOGRAPH_OK) {
      answer = {{}, TOMOGRAPH_FAILED, "the device gave no answer"};
    }
  }
  return std::exchange(answers_, {});
}

}  // namespace tomograph
