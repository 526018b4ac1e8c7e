#ifndef TOMOGRAPH_HOST_DOCUMENTS_ENUM_NAMES_HPP
#define TOMOGRAPH_HOST_DOCUMENTS_ENUM_NAMES_HPP

#include <array>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace tomograph::host {

/// The enumerators of E with the names that they have in files and messages.
template <typename E, std::size_t N>
using EnumNames = std::array<std::pair<E, std::string_view>, N>;

/// @throws std::invalid_argument if `value` is no enumerator.
template <typename E, std::size_t N>
[[nodiscard]] std::string_view name_in(const EnumNames<E, N>& names, E value) {
  for (const auto& [known, name] : names) {
    if (known == value) return name;
  }
  throw std::invalid_argument("an enumerator without a name");
}

/// @throws std::invalid_argument if no enumerator is called `name`.
template <typename E, std::size_t N>
[[nodiscard]] E value_in(const EnumNames<E, N>& names, std::string_view name) {
  for (const auto& [value, known] : names) {
    if (known == name) return value;
  }
  throw std::invalid_argument("unknown name \"" + std::string(name) + "\"");
}

}  // namespace tomograph::host

#endif
