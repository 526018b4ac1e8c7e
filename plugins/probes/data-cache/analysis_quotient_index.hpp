#ifndef TOMOGRAPH_DATA_CACHE_ANALYSIS_QUOTIENT_INDEX_HPP
#define TOMOGRAPH_DATA_CACHE_ANALYSIS_QUOTIENT_INDEX_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

/// How addresses choose the sets of an L2 whose slices are the remainder of a number (l2.slice_function). The quotient
/// of that number chooses the set in its slice. Physical addresses are not known, but the lines of a few sets in many
/// pages tell enough of them.
namespace tomograph::data_cache {

/// The number that tells slices. Masks are those of a line's number in its page.
struct SliceNumber {
  std::vector<std::uint64_t> classes = {};  ///< their parities number classes of slices
  std::vector<std::uint64_t> masks = {};    ///< of the bits of the number, the lowest one first
  std::int64_t factor = 1;                  ///< its remainder by this is the slice of the class
};

/// What chooses the set in a slice.
struct QuotientIndex {
  static constexpr unsigned quotient_bits = 14;  ///< that take part
  SliceNumber number = {};                       ///< upper bits are address bits
  std::vector<std::uint64_t> place_masks = {};   ///< of a line in its granule, which lies in one slice
  std::vector<std::uint64_t> parities = {};      ///< of the quotient, with the place above it
  /// Parities that are the same for all lines of these pages. Where they are others, lines may lie in other sets.
  std::vector<std::uint64_t> undetermined = {};
  std::int64_t factor = 1;   ///< odd: the quotient without its lowest bits is divided by it
  unsigned shift = 0;        ///< these are so many
  std::uint64_t lowest = 0;  ///< parity that replaces the lowest bit of what is divided
  std::uint64_t second = 0;  ///< the same of the second bit
  std::size_t lines = 0;     ///< that tested what the other pages show
  std::size_t wrong = 0;     ///< of these, that lie in another set

  /// Sets of a slice.
  [[nodiscard]] std::int64_t sets() const { return factor << parities.size(); }
};

/// The index that lines of a few sets show, by set and ascending, in pages of `lines_per_page` lines, a power of two.
/// A slice has about `sets_of_slice` sets. Nothing if the pages do not lie side by side in
/// memory, or if no such index explains the sets.
[[nodiscard]] std::optional<QuotientIndex> index_of_quotient(std::span<const std::vector<std::int64_t>> sets,
                                                             std::int64_t lines_per_page, const SliceNumber& number,
                                                             double sets_of_slice);

}  // namespace tomograph::data_cache

#endif
