#ifndef TOMOGRAPH_CACHE_MASKS_HPP
#define TOMOGRAPH_CACHE_MASKS_HPP

#include <cstdint>
#include <span>
#include <vector>

#include "tomograph/value.hpp"

/// Masks of address bits, as facts state them.
namespace tomograph::cache {

/// A list of hexadecimal numbers, such as "0x3f80", in the order of `masks`. Each is multiplied by `unit`: the bytes of
/// a line, if masks are those of line numbers.
[[nodiscard]] Value mask_texts(std::span<const std::uint64_t> masks, std::uint64_t unit = 1);

/// The masks of such a list, divided by `unit`.
/// @throws std::exception if `texts` is no list of hexadecimal numbers.
[[nodiscard]] std::vector<std::uint64_t> masks_in(const Value& texts, std::uint64_t unit = 1);

}  // namespace tomograph::cache

#endif
