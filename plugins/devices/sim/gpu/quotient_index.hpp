#ifndef TOMOGRAPH_SIM_GPU_QUOTIENT_INDEX_HPP
#define TOMOGRAPH_SIM_GPU_QUOTIENT_INDEX_HPP

#include <cstdint>
#include <vector>

#include "sim/gpu/rules.hpp"

namespace tomograph::sim {

class Section;
struct SliceFunction;

/// How the L2 of an H100 and an H200 chooses the set within a slice: by the quotient of the number whose remainder is
/// the slice. Keys are those of the fact l2.index.
struct QuotientIndex {
  std::int64_t quotient_bits = 14;           ///< the lowest ones, which take part in parities
  std::vector<std::uint64_t> places = {};    ///< masks of address bits that take part, above those of the quotient
  std::vector<std::uint64_t> parities = {};  ///< bit i of the set is the parity of quotient and place & parities[i]
  std::int64_t remainder_by = 1;             ///< above these bits: a remainder of the quotient from some bit on
  std::int64_t remainder_from_bit = 0;
  std::vector<std::uint64_t> remainder_lowest_bits = {};  ///< parities of the quotient that replace its lowest bits

  [[nodiscard]] std::int64_t sets() const { return remainder_by << parities.size(); }
  /// The set in its slice of a physical address.
  [[nodiscard]] std::uint32_t set_in_slice(const SliceFunction& function, std::uint64_t address) const;
};

/// The first broken rule about an index of `sets` sets of all slices.
[[nodiscard]] Broken violation(const QuotientIndex& index, std::int64_t slices, std::int64_t sets,
                               std::int64_t line_size);
[[nodiscard]] QuotientIndex read_quotient_index(const Section& section);

}  // namespace tomograph::sim

#endif
