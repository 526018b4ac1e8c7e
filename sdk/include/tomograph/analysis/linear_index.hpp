#ifndef TOMOGRAPH_ANALYSIS_LINEAR_INDEX_HPP
#define TOMOGRAPH_ANALYSIS_LINEAR_INDEX_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

/// Linear algebra over GF(2) for set indices made of XORs of address bits. A vector is the 64 bits of an address (in
/// bytes or lines, as the caller likes, but one of them throughout); addition is XOR.
namespace tomograph::analysis {

/// A basis in reduced row echelon form: each row has its highest bit (pivot) in no other row; rows descend.
/// Two sets of vectors span the same space exactly if their bases are equal.
using Basis = std::vector<std::uint64_t>;

[[nodiscard]] Basis basis(std::span<const std::uint64_t> vectors);

[[nodiscard]] std::size_t rank(std::span<const std::uint64_t> vectors);

[[nodiscard]] bool independent(std::span<const std::uint64_t> vectors);

/// The representative of the coset of `vector` modulo the space: the smallest number in it. Equal exactly for vectors
/// whose difference lies in the space.
[[nodiscard]] std::uint64_t coset_representative(const Basis& space, std::uint64_t vector);

/// All vectors within `bits` that are orthogonal to `space`: masks m for which every v of the space has an even number
/// of ones in m & v. The kernel of the map whose rows are `space`.
[[nodiscard]] Basis orthogonal_complement(const Basis& space, std::uint64_t bits);

/// Basis of the quotient `whole` / `part`, as coset representatives: rank(whole + part) - rank(part) vectors that
/// together with `part` span `whole` + `part`.
[[nodiscard]] Basis quotient(const Basis& whole, const Basis& part);

/// A set index: bit i of it is the parity of address & masks[i].
struct LinearIndex {
  Basis masks;
  /// The address bits themselves, ascending, if the index is made of plain bits; nothing if bits are hashed.
  std::optional<std::vector<unsigned>> plain_bits;

  /// Number of index bits: the cache has 2^bits() sets, as far as the differences reach.
  [[nodiscard]] std::size_t bits() const { return masks.size(); }
};

/// The index behind `differences` (XORs) of pairs of addresses that were seen to share a set, where addresses varied in
/// `varied_bits` only. Index masks are the orthogonal complement of the differences within those bits: unique as a
/// space, any basis of it numbers the same sets differently. If the differences do not span all of what shares a set,
/// the index found has too many bits, never too few: confirm with further same-set pairs that leave it unchanged.
/// @throws std::invalid_argument if a difference has a bit outside `varied_bits`.
[[nodiscard]] LinearIndex recover_index(std::span<const std::uint64_t> differences, std::uint64_t varied_bits);

}  // namespace tomograph::analysis

#endif
