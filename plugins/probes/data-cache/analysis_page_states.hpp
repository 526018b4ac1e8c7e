#ifndef TOMOGRAPH_DATA_CACHE_ANALYSIS_PAGE_STATES_HPP
#define TOMOGRAPH_DATA_CACHE_ANALYSIS_PAGE_STATES_HPP

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "analysis_quotient_index.hpp"

/// What pages, whose physical addresses are not known, do to the number that tells slices (l2.slice_function): their
/// address bits invert some of its bits and add to it. Lines that share a set lie in one slice, and so their numbers
/// have the same remainder. That tells what each page does.
namespace tomograph::data_cache {

using Bits = std::uint64_t;
using Masks = std::vector<Bits>;

/// The number with its bits in their order, of which the lowest ones are hashed.
struct OrderedNumber {
  SliceNumber number;
  unsigned hashed = 0;
};

/// 2^exponent modulo an odd factor.
[[nodiscard]] std::int64_t power_of_two_modulo(std::size_t exponent, std::int64_t factor);

/// The orders of the number's bits that leave the same remainders, up to signs. Upper bits are those of the address, in
/// its order. A class mask that is part of each of them only inverts the number.
[[nodiscard]] std::vector<OrderedNumber> orders_of(const SliceNumber& number, unsigned line_bits);

/// Of so many pages, one may have a line that was counted to a wrong set.
inline constexpr std::size_t pages_for_each_lost = 50;

/// A line of a set, in its page.
struct Member {
  std::size_t set = 0;
  Bits line = 0;
  Bits number = 0;
  bool home = false;  ///< which of the two partitions holds it, up to an inversion by the page
};

using Pages = std::map<std::int64_t, std::vector<Member>>;

/// The lines of the sets, by page. Where a few have no twin at the other home, these were misread.
[[nodiscard]] Pages pages_of(std::span<const std::vector<std::int64_t>> sets, std::int64_t lines_per_page,
                             const SliceNumber& number);

/// What a page may do to the lines of one home: it inverts bits of their numbers and adds to them.
struct PageState {
  bool home = false;
  Bits inverted = 0;
  std::int64_t start = unknown;  ///< remainder of what is added

  static constexpr std::int64_t unknown = -1;  ///< no remainder
};

using States = std::map<std::int64_t, std::vector<PageState>>;

/// The states of each page by the home of the lines that are looked at in the first one, and for no home of which lines
/// contradict all states of more than a few pages. The remainder of the first set is called 0.
using StatesByHome = std::map<bool, States>;

/// From the lines of `sets` sets.
[[nodiscard]] StatesByHome states_of(const Pages& pages, const OrderedNumber& number, std::size_t sets);

/// The states of pages if the number's bits are in the order of `to`: each bit moves to another place, and is inverted
/// if its weight changes its sign. Remainders differ by the same number in all pages. Nothing if a weight changes
/// otherwise.
[[nodiscard]] std::optional<StatesByHome> reordered(const StatesByHome& states, const OrderedNumber& from,
                                                    const OrderedNumber& to);

}  // namespace tomograph::data_cache

#endif
