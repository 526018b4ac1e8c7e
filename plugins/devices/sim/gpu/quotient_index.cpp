#include "sim/gpu/quotient_index.hpp"

#include <string>

#include "sim/gpu/cache.hpp"
#include "sim/gpu/section.hpp"
#include "sim/gpu/slice_function.hpp"
#include "tomograph/analysis/linear_index.hpp"

namespace tomograph::sim {

std::uint32_t QuotientIndex::set_in_slice(const SliceFunction& function, std::uint64_t address) const {
  const std::uint64_t quotient = function.divided(address) / static_cast<std::uint64_t>(function.factor);
  const std::uint64_t lowest = quotient & ((std::uint64_t{1} << quotient_bits) - 1);
  const std::uint64_t vector = lowest | analysis::parities(address, places) << quotient_bits;
  const auto replaced = remainder_lowest_bits.size();
  const std::uint64_t divided =
      quotient >> remainder_from_bit >> replaced << replaced | analysis::parities(quotient, remainder_lowest_bits);
  return static_cast<std::uint32_t>(divided % static_cast<std::uint64_t>(remainder_by) << parities.size() |
                                    analysis::parities(vector, parities));
}

Broken violation(const QuotientIndex& index, std::int64_t slices, std::int64_t sets, std::int64_t line_size) {
  const std::string key = "l2.index.";
  if (auto broken = mask_range_violation(index.places, line_size, key + "places")) return broken;
  if (rank(index.parities) < index.parities.size()) {
    return Violation{key + "parities",
                     "has masks of which one is the exclusive-or of others, so some sets could never be used"};
  }
  if (index.parities.size() < 31 && index.sets() * slices == sets) return std::nullopt;
  return Violation{key + "parities", "with remainder_by makes " + text(index.sets()) + " sets of each of " +
                                         text(slices) + " slices, but there are " + text(sets) + " sets"};
}

QuotientIndex read_quotient_index(const Section& section) {
  for (const char* key : {"bits", "masks"}) expect_for_kind(section, key, false);
  expect_for_kind(section, "parities", true);
  QuotientIndex index;
  index.quotient_bits = section.integer("quotient_bits", index.quotient_bits);
  if (section.has("places")) index.places = read_masks(section, "places");
  index.parities = read_masks(section, "parities");
  index.remainder_by = section.integer("remainder_by", 1);
  index.remainder_from_bit = section.integer("remainder_from_bit", 0);
  if (section.has("remainder_lowest_bits")) {
    index.remainder_lowest_bits = read_masks(section, "remainder_lowest_bits");
  }
  return index;
}

}  // namespace tomograph::sim
