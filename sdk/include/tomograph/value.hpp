#ifndef TOMOGRAPH_VALUE_HPP
#define TOMOGRAPH_VALUE_HPP

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace tomograph {

/// The value of a fact, condition or parameter: null, boolean, integer, real, text, list or table. The plugin interface
/// passes it as JSON text. Getters throw std::invalid_argument if the value has another type.
class Value {
 public:
  using List = std::vector<Value>;
  using Table = std::map<std::string, Value, std::less<>>;

  Value() = default;
  Value(std::nullptr_t) {}
  /// A boolean, or a number. @throws std::invalid_argument if an integer is beyond std::int64_t.
  template <typename T>
  requires std::integral<T> || std::floating_point<T> Value(T number) : content_(stored<T>(number)) {}
  Value(const char* text) : content_(std::string(text)) {}
  Value(std::string_view text) : content_(std::string(text)) {}
  Value(std::string text) : content_(std::move(text)) {}
  Value(List elements) : content_(std::move(elements)) {}
  Value(Table entries) : content_(std::move(entries)) {}
  /// A list of the elements.
  template <typename T>
  Value(const std::vector<T>& elements) : content_(List(elements.begin(), elements.end())) {}
  /// A table: {{"ilp", 4}, {"statistic", "median"}}.
  Value(std::initializer_list<std::pair<const std::string, Value>> entries) : content_(Table(entries)) {}

  /// A list of these elements, none for an empty list.
  template <typename... T>
  [[nodiscard]] static Value list(T&&... elements) {
    return List{Value(std::forward<T>(elements))...};
  }
  [[nodiscard]] static Value table() { return Table(); }

  [[nodiscard]] bool is_null() const { return std::holds_alternative<std::monostate>(content_); }

  /// The elements of a list.
  [[nodiscard]] const List& elements() const;
  /// The entries of a table.
  [[nodiscard]] const Table& entries() const;

  /// The entry of a table. @throws std::out_of_range naming the key if there is none.
  [[nodiscard]] const Value& at(std::string_view key) const;
  /// `at(0)` would be a null key: lists have elements().
  const Value& at(std::nullptr_t) const = delete;
  [[nodiscard]] bool contains(std::string_view key) const { return entries().contains(key); }
  /// The entry of a table, or `otherwise` if there is none.
  template <typename T>
  [[nodiscard]] T value(std::string_view key, const T& otherwise) const {
    return contains(key) ? at(key).get<T>() : otherwise;
  }
  /// The entry of a table, created if there is none. Null becomes a table.
  Value& operator[](std::string_view key);
  /// Appends to a list. Null becomes a list.
  void push_back(Value element);
  /// The last element of a list that is not empty.
  [[nodiscard]] Value& back();

  /// The value as bool, a number, std::string, a pair (from a list of two) or a std::vector of any of these. An integer
  /// also converts to a real, and a real without a fraction to an integer.
  template <typename T>
  [[nodiscard]] T get() const {
    T result{};
    read(result);
    return result;
  }

  friend bool operator==(const Value&, const Value&) = default;

  using Content = std::variant<std::monostate, bool, std::int64_t, double, std::string, List, Table>;
  [[nodiscard]] const Content& content() const { return content_; }

 private:
  template <typename T>
  [[nodiscard]] static auto stored(T number) {
    if constexpr (std::same_as<T, bool>) {
      return number;
    } else if constexpr (std::integral<T>) {
      if (!std::in_range<std::int64_t>(number)) refuse("is beyond the range of integers");
      return static_cast<std::int64_t>(number);
    } else {
      return static_cast<double>(number);
    }
  }

  void read(bool& result) const;
  void read(double& result) const;
  void read(std::string& result) const;
  template <std::integral T>
  void read(T& result) const {
    const std::int64_t number = integer();
    if (!std::in_range<T>(number)) refuse("is beyond the range that is asked for");
    result = static_cast<T>(number);
  }
  template <typename T>
  void read(std::vector<T>& result) const {
    for (const Value& element : elements()) result.push_back(element.get<T>());
  }
  template <typename First, typename Second>
  void read(std::pair<First, Second>& result) const {
    if (elements().size() != 2) refuse("is no list of two");
    result = {elements()[0].get<First>(), elements()[1].get<Second>()};
  }
  [[nodiscard]] std::int64_t integer() const;
  [[noreturn]] static void refuse(const char* why);

  Content content_;
};

/// The value as JSON text: sorted keys, no spaces, reals with a decimal point. Infinities and NaN become null.
/// @throws std::invalid_argument if a text is not UTF-8.
[[nodiscard]] std::string to_json(const Value& value);

/// The value of JSON text. @throws std::invalid_argument if it is not JSON, nests deeper than 100 levels or holds an
/// integer beyond std::int64_t.
[[nodiscard]] Value from_json(std::string_view text);

}  // namespace tomograph

#endif
