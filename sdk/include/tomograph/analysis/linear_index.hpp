#ifndef TOMOGRAPH_ANALYSIS_LINEAR_INDEX_HPP
#define TOMOGRAPH_ANALYSIS_LINEAR_INDEX_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

/// Linear algebra over GF(2), for set indices that are XORs of address bits. A vector holds the 64 bits of an address,
/// in bytes or in lines but the same unit throughout. Addition is XOR.
namespace tomograph::analysis {

/// Whether the number of bits that are set is odd.
[[nodiscard]] inline bool parity(std::uint64_t vector) { return (std::popcount(vector) & 1) != 0; }

/// A number of which bit i is the parity of vector & masks[i]. At most 64 masks.
[[nodiscard]] std::uint64_t parities(std::uint64_t vector, std::span<const std::uint64_t> masks);

/// For each mask within the lowest `bits`: how many of the vectors, which have no others, have an odd parity with it.
[[nodiscard]] std::vector<std::size_t> odd_parities(std::span<const std::uint64_t> vectors, unsigned bits);

/// All sums of the vectors, in order of their positions: bit i of a position tells whether vectors[i] is part of it.
[[nodiscard]] std::vector<std::uint64_t> sums(std::span<const std::uint64_t> vectors);

/// A basis in reduced row echelon form: rows descend, and the highest bit of each row (its pivot) is in no other row.
/// Two sets of vectors span the same space if and only if their bases are equal.
using Basis = std::vector<std::uint64_t>;

[[nodiscard]] Basis basis(std::span<const std::uint64_t> vectors);

[[nodiscard]] std::size_t rank(std::span<const std::uint64_t> vectors);

[[nodiscard]] bool independent(std::span<const std::uint64_t> vectors);

/// The smallest number of the coset of `vector` modulo `space`. Equal for two vectors if and only if their difference
/// lies in the space.
[[nodiscard]] std::uint64_t coset_representative(const Basis& space, std::uint64_t vector);

/// All vectors within `bits` that are orthogonal to `space`: masks m for which m & v has an even number of ones for
/// every v of the space.
[[nodiscard]] Basis orthogonal_complement(const Basis& space, std::uint64_t bits);

/// Basis of the quotient `whole` / `part`, as coset representatives: rank(whole + part) - rank(part) vectors that
/// together with `part` span `whole` + `part`.
[[nodiscard]] Basis quotient(const Basis& whole, const Basis& part);

/// A set index: bit i of it is the parity of address & masks[i].
struct LinearIndex {
  Basis masks;
  /// The address bits, ascending, if the index is made of plain bits; nothing if bits are hashed.
  std::optional<std::vector<unsigned>> plain_bits;

  /// Number of index bits. The cache has 2^bits() sets, as far as the differences reach.
  [[nodiscard]] std::size_t bits() const { return masks.size(); }
};

/// The index behind `differences` (XORs) of address pairs that share a set. Addresses varied in `varied_bits` only.
///
/// The masks are the orthogonal complement of the differences within those bits. They are unique as a space; any basis
/// of it numbers the same sets differently. Differences that do not span all of what shares a set yield too many index
/// bits, never too few: confirm with further pairs, which must leave the index unchanged.
/// @throws std::invalid_argument if a difference has a bit outside `varied_bits`.
[[nodiscard]] LinearIndex recover_index(std::span<const std::uint64_t> differences, std::uint64_t varied_bits);

}  // namespace tomograph::analysis

#endif
