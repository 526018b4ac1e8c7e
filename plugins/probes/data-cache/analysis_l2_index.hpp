#ifndef TOMOGRAPH_DATA_CACHE_ANALYSIS_L2_INDEX_HPP
#define TOMOGRAPH_DATA_CACHE_ANALYSIS_L2_INDEX_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tomograph/analysis/linear_index.hpp"

/// How the offset of a line in its page chooses its set in an L2 larger than a page. The physical addresses of pages
/// are not known. Each moves all its lines to other sets: by one XOR where XORs of address bits choose the set, by one
/// number where the set is a remainder. So the offsets of lines of two sets differ alike in all pages.
namespace tomograph::data_cache {

/// One comparison, or one line, in so many may contradict an index.
inline constexpr std::size_t right_for_each_wrong = 1000;

/// An index as far as lines of a page show it.
struct PageIndex {
  enum class Kind {
    parities,         ///< lines of a page share a set if and only if each mask gives both the same parity
    remainder,        ///< if and only if their numbers have the same remainder by `modulus`
    partly_parities,  ///< only if each mask gives both the same parity, but not all that agree do
  };
  Kind kind = Kind::parities;
  analysis::Basis masks = {};  ///< of the line's number in its page
  std::int64_t modulus = 0;
  std::size_t lines = 0;        ///< whose offsets were predicted from another line of their page
  std::size_t comparisons = 0;  ///< of two lines of a page
  std::size_t wrong = 0;        ///< comparisons that contradict: at most one in a thousand
};

/// Whether a thousand lines lie in pages with others of these sets, so that they can tell an index.
[[nodiscard]] bool enough_lines(std::span<const std::vector<std::int64_t>> sets, std::int64_t lines_per_page);

/// The index that lines of a few sets show, by set and ascending, in pages of `lines_per_page` lines, a power of two.
/// Of remainders, that by `modulus` is tried; 0: none is. Nothing if no index predicts 99.9 % of the lines, or fewer
/// than 1,000 lines were compared.
[[nodiscard]] std::optional<PageIndex> index_in_page(std::span<const std::vector<std::int64_t>> sets,
                                                     std::int64_t lines_per_page, std::int64_t modulus);

}  // namespace tomograph::data_cache

#endif
