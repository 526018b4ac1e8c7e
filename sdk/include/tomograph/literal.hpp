#ifndef TOMOGRAPH_LITERAL_HPP
#define TOMOGRAPH_LITERAL_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

/// Texts of descriptors that are put together at compile time, for families of facts or probes:
///   template <Literal level>
///   inline constexpr std::array level_facts{
///       declare::count(joined<"tlb.", level, ".entries">, declare::per_sm, "Number of entries"), ...};
///   static constexpr auto provides = concatenated(level_facts<"l1">, level_facts<"l2">);
namespace tomograph {

/// A string literal as a template argument.
template <std::size_t size>
struct Literal {
  std::array<char, size> characters{};
  // NOLINTNEXTLINE(google-explicit-constructor): a literal is meant to become one
  consteval Literal(const char (&text)[size]) { std::copy_n(text, size, characters.begin()); }
  [[nodiscard]] constexpr std::string_view view() const { return {characters.data(), size - 1}; }
};

namespace detail {

template <Literal... parts>
inline constexpr auto joined_literals = [] {
  std::array<char, (parts.view().size() + ... + 1)> characters{};
  auto at = characters.begin();
  ((at = std::copy(parts.view().begin(), parts.view().end(), at)), ...);
  return characters;
}();

}  // namespace detail

/// The concatenation of literals, which ends with a zero and lives as long as the program.
template <Literal... parts>
inline constexpr const char* joined = detail::joined_literals<parts...>.data();

/// The elements of several arrays of the same type, in order.
template <typename T, std::size_t... sizes>
constexpr auto concatenated(const std::array<T, sizes>&... arrays) {
  std::array<T, (sizes + ...)> all{};
  auto at = all.begin();
  ((at = std::copy(arrays.begin(), arrays.end(), at)), ...);
  return all;
}

}  // namespace tomograph

#endif
