#ifndef TOMOGRAPH_EXPERIMENT_HPP
#define TOMOGRAPH_EXPERIMENT_HPP

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "tomograph/abi/experiment.h"

namespace tomograph {

/// The element types of the boundary.
template <typename T>
concept Element = std::same_as<T, std::int64_t> || std::same_as<T, std::uint32_t> || std::same_as<T, double>;

/// The numbers of one array, in one of the three element types of the boundary.
using Numbers = std::variant<std::vector<std::int64_t>, std::vector<std::uint32_t>, std::vector<double>>;

/// A named run of numbers that owns its memory.
struct NamedArray {
  std::string name;
  Numbers numbers;

  bool operator==(const NamedArray&) const = default;
};

/// Copy of an array that crossed the boundary.
/// @throws std::invalid_argument if the element type is unknown, the name is null or the data missing.
[[nodiscard]] NamedArray copy(const tomograph_array& array);

namespace detail {

template <Element T>
inline constexpr tomograph_element element_of = TOMOGRAPH_I64;
template <>
inline constexpr tomograph_element element_of<std::uint32_t> = TOMOGRAPH_U32;
template <>
inline constexpr tomograph_element element_of<double> = TOMOGRAPH_F64;

}  // namespace detail

/// A named run of numbers that lies elsewhere, in the form that crosses the boundary. Valid as long as what it was made
/// of; no more than a few pointers, so it is passed by value or reference alike.
class ArrayView {
 public:
  template <Element T>
  ArrayView(const char* name, std::span<const T> numbers)
      : array_{sizeof(tomograph_array), detail::element_of<T>, name, numbers.data(), numbers.size()} {}
  template <Element T>
  ArrayView(const char* name, const std::vector<T>& numbers) : ArrayView(name, std::span<const T>(numbers)) {}
  /// An array of one number.
  template <Element T>
  ArrayView(const char* name, const T& number) : ArrayView(name, std::span<const T>(&number, 1)) {}
  ArrayView(const NamedArray& array);
  /// @throws std::invalid_argument if the element type is unknown, the name is null or the data missing.
  explicit ArrayView(const tomograph_array& array) : array_(array) {
    const bool is_whole = array.name != nullptr && (array.data != nullptr || array.count == 0);
    if (!is_whole || array.element < TOMOGRAPH_I64 || array.element > TOMOGRAPH_F64) refuse_broken();
  }

  [[nodiscard]] std::string_view name() const { return array_.name; }
  /// The same as a comparison with the name, which need not be measured.
  [[nodiscard]] bool is_called(std::string_view name) const {
    return std::strncmp(array_.name, name.data(), name.size()) == 0 && array_.name[name.size()] == '\0';
  }
  [[nodiscard]] tomograph_element element() const { return array_.element; }
  [[nodiscard]] std::size_t size() const { return array_.count; }
  /// The numbers. @throws std::invalid_argument naming the array if they are of another type.
  template <Element T>
  [[nodiscard]] std::span<const T> numbers() const {
    if (array_.element != detail::element_of<T>) refuse_type();
    return numbers_as<T>();
  }
  /// Calls `visitor` with the numbers, as std::span<const T>.
  template <typename Visitor>
  decltype(auto) visit(Visitor&& visitor) const {
    switch (array_.element) {
      case TOMOGRAPH_U32: return visitor(numbers_as<std::uint32_t>());
      case TOMOGRAPH_F64: return visitor(numbers_as<double>());
      default: return visitor(numbers_as<std::int64_t>());
    }
  }
  /// Whether type and numbers are the same, whatever the names. No two NaN are.
  [[nodiscard]] bool has_numbers_of(const ArrayView& other) const;
  bool operator==(const ArrayView& other) const { return name() == other.name() && has_numbers_of(other); }

  /// The same for C.
  [[nodiscard]] const tomograph_array& crossing() const { return array_; }

 private:
  template <Element T>
  [[nodiscard]] std::span<const T> numbers_as() const {
    return {static_cast<const T*>(array_.data), array_.count};
  }
  [[nodiscard]] std::string quoted() const;
  [[noreturn]] void refuse_type() const;
  [[noreturn]] void refuse_broken() const;

  friend class Arrays;
  tomograph_array array_;
};

/// The named arrays of an experiment or of an answer, in their order. They lie together in one block of memory: an
/// experiment has a dozen of them that mostly hold a handful of numbers, and a probe has thousands of experiments. All
/// those of a batch can lie in one block: see ArrayMemory.
class Arrays {
 public:
  Arrays() = default;
  /// Copies `arrays`.
  Arrays(std::initializer_list<ArrayView> arrays);
  /// Owns its memory, whatever `other` does.
  Arrays(const Arrays& other);
  Arrays(Arrays&& other) noexcept = default;
  Arrays& operator=(const Arrays& other) { return *this = Arrays(other); }
  Arrays& operator=(Arrays&& other) noexcept = default;
  ~Arrays() = default;

  /// Refers to arrays that crossed the boundary, and is valid as long as they are.
  /// @throws std::invalid_argument as ArrayView.
  [[nodiscard]] static Arrays borrow(std::span<const tomograph_array* const> arrays);

  /// Copies `array`, which is none of its own. Views of its arrays are no longer valid.
  void add(const ArrayView& array);

  [[nodiscard]] const ArrayView* begin() const { return views_.data(); }
  [[nodiscard]] const ArrayView* end() const { return views_.data() + views_.size(); }
  [[nodiscard]] std::size_t size() const { return views_.size(); }
  [[nodiscard]] bool empty() const { return views_.empty(); }
  [[nodiscard]] const ArrayView& operator[](std::size_t i) const { return views_[i]; }
  [[nodiscard]] const ArrayView& front() const { return views_.front(); }

  bool operator==(const Arrays& other) const { return views_ == other.views_; }

 private:
  friend class ArrayMemory;
  using Block = std::vector<std::byte>;  ///< never grows beyond its capacity

  /// Moves all arrays to a new block, with room for `bytes` more.
  void own_with_room(std::size_t bytes);
  /// Copies what `array` refers to behind what lies in the block, if there is room, and lets it refer to the copy.
  bool place(ArrayView& array);

  std::vector<ArrayView> views_;
  std::shared_ptr<Block> block_;  ///< where added arrays are placed, behind whatever lies there
};

/// Memory that the arrays of many experiments or answers share: a chunk at a time, which lives as long as any of them.
/// Arrays of the same memory must not be added to by several threads at a time.
class ArrayMemory {
 public:
  /// No arrays yet, with room for `arrays` of the usual length.
  [[nodiscard]] Arrays arrays(std::size_t arrays);

 private:
  std::shared_ptr<Arrays::Block> chunk_;
};

/// A plain-data request to a device. See abi/experiment.h for what makes two of them the same.
struct Experiment {
  std::string id;
  Arrays parameters;

  bool operator==(const Experiment&) const = default;
};

/// An experiment that crossed the boundary, with borrowed parameters: for the call that handed it over. A copy of it
/// owns them. @throws std::invalid_argument if it has no id or one of its arrays is broken.
[[nodiscard]] Experiment borrow(const tomograph_experiment& experiment);

/// What came back for one experiment: arrays, or why it was refused.
struct Answer {
  Arrays arrays;
  tomograph_status status = TOMOGRAPH_OK;
  std::string reason = {};

  bool operator==(const Answer&) const = default;
};

/// The array called `name`, or null. Arrays are few: the search is linear.
[[nodiscard]] const ArrayView* find(const Arrays& arrays, std::string_view name);

/// The elements of the array called `name` as `T` (std::int64_t, std::uint32_t or double).
/// @throws std::invalid_argument naming the array if it is missing or of another type.
template <Element T>
[[nodiscard]] std::span<const T> numbers(const Arrays& arrays, std::string_view name);

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
  void add(std::uint64_t experiment, const tomograph_array& array);
  void refuse(std::uint64_t experiment, tomograph_status status, const char* reason);

  std::vector<Answer> answers_;
  ArrayMemory memory_;
  tomograph_result_sink sink_;
};

}  // namespace tomograph

#endif
