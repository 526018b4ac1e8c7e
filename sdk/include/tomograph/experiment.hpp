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
#include <variant>
#include <vector>

#include "tomograph/abi/experiment.h"
#include "tomograph/abi/neighbours.h"

namespace tomograph {

/// The element types of arrays in the plugin interface.
template <typename T>
concept Element = std::same_as<T, std::int64_t> || std::same_as<T, std::uint32_t> || std::same_as<T, double>;

/// The numbers of one array, in one of the three element types.
using Numbers = std::variant<std::vector<std::int64_t>, std::vector<std::uint32_t>, std::vector<double>>;

/// A named array that owns its memory.
struct NamedArray {
  std::string name;
  Numbers numbers;

  bool operator==(const NamedArray&) const = default;
};

/// Copy of an array in C form.
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

/// A view of a named array, in C form. Valid as long as the array. It is cheap to copy.
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
  /// Whether the name is `name`. Faster than a comparison of name(), which must find the end first.
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
  /// Whether type and numbers are equal, whatever the names. NaN equals nothing.
  [[nodiscard]] bool has_numbers_of(const ArrayView& other) const;
  bool operator==(const ArrayView& other) const { return name() == other.name() && has_numbers_of(other); }

  /// The view in C form.
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

/// The named arrays of an experiment or of an answer, in order. They share one block of memory, since an experiment has
/// a dozen short arrays and a probe has thousands of experiments. The arrays of a batch can share a block as well: see
/// ArrayMemory.
class Arrays {
 public:
  Arrays() = default;
  /// Copies `arrays`.
  Arrays(std::initializer_list<ArrayView> arrays) : Arrays(std::vector(arrays)) {}
  /// Copies `arrays` to one block of memory.
  explicit Arrays(std::vector<ArrayView> arrays);
  /// The copy owns its memory even if `other` borrows.
  Arrays(const Arrays& other);
  Arrays(Arrays&& other) noexcept = default;
  Arrays& operator=(const Arrays& other) { return *this = Arrays(other); }
  Arrays& operator=(Arrays&& other) noexcept = default;
  ~Arrays() = default;

  /// Borrows arrays in C form. Valid as long as they are. @throws std::invalid_argument as ArrayView.
  [[nodiscard]] static Arrays borrow(std::span<const tomograph_array* const> arrays);

  /// Copies `array`, which must not be one of these arrays. Invalidates views of these arrays.
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
  /// Memory for names and numbers, uninitialized until they are placed in it.
  struct Block {
    explicit Block(std::size_t bytes) : memory(new std::byte[bytes]), capacity(bytes) {}

    std::unique_ptr<std::byte[]> memory;
    std::size_t capacity;
    std::size_t used = 0;
  };

  /// Moves all arrays to a new block, with room for `bytes` more.
  void own_with_room(std::size_t bytes);
  /// If the block has room, copies the numbers of `array` to its end and lets `array` refer to the copy.
  bool place(ArrayView& array);

  std::vector<ArrayView> views_;
  std::shared_ptr<Block> block_;  ///< memory of added arrays; other Arrays may share it
};

/// Memory that the arrays of many experiments or answers share. Each chunk lives as long as any array in it. Only one
/// thread at a time may add to arrays of the same memory.
class ArrayMemory {
 public:
  /// Empty Arrays with room for `arrays` arrays of the usual length.
  [[nodiscard]] Arrays arrays(std::size_t arrays);

 private:
  std::shared_ptr<Arrays::Block> chunk_;
};

/// A request to a device, as plain data. abi/experiment.h defines when two of them are the same.
struct Experiment {
  std::string id;
  Arrays parameters;

  bool operator==(const Experiment&) const = default;
};

/// An experiment in C form, with borrowed parameters: valid for the call that passed it. A copy owns them.
/// @throws std::invalid_argument if it has no id or one of its arrays is broken.
[[nodiscard]] Experiment borrow(const tomograph_experiment& experiment);

/// The answer to one experiment: arrays, or the reason of a refusal.
struct Answer {
  Arrays arrays;
  tomograph_status status = TOMOGRAPH_OK;
  std::string reason = {};
  tomograph_disturbance disturbance = TOMOGRAPH_PERHAPS_DISTURBED;  ///< between the instruments and the device only

  bool operator==(const Answer&) const = default;
};

/// The array called `name`, or null. The search is linear.
[[nodiscard]] const ArrayView* find(const Arrays& arrays, std::string_view name);

/// The elements of the array called `name` as `T` (std::int64_t, std::uint32_t or double).
/// @throws std::invalid_argument naming the array if it is missing or of another type.
template <Element T>
[[nodiscard]] std::span<const T> numbers(const Arrays& arrays, std::string_view name);

/// A batch in C form. It borrows from the experiments, which must outlive it unchanged.
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

/// Collects the answers to a batch. A broken answer becomes a refusal; nothing is thrown into the caller.
class AnswerCollector {
 public:
  explicit AnswerCollector(std::size_t batch_size);
  AnswerCollector(const AnswerCollector&) = delete;
  AnswerCollector& operator=(const AnswerCollector&) = delete;

  /// The sink for the device. Valid as long as the collector.
  [[nodiscard]] const tomograph_result_sink* sink() const { return &sink_; }
  /// The answers so far, in the order of the batch. The collector is empty afterwards.
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
