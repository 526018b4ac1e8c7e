#include "tomograph/analysis/linear_index.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <stdexcept>

namespace tomograph::analysis {
namespace {

/// Makes `vector` part of a reduced basis, which stays reduced but not sorted. Returns whether it was independent.
bool extend(Basis& rows, std::uint64_t vector) {
  vector = coset_representative(rows, vector);
  if (vector == 0) return false;
  const std::uint64_t pivot = std::bit_floor(vector);
  for (std::uint64_t& row : rows) {
    if ((row & pivot) != 0) row ^= vector;
  }
  rows.push_back(vector);
  return true;
}

}  // namespace

std::uint64_t parities(std::uint64_t vector, std::span<const std::uint64_t> masks) {
  std::uint64_t number = 0;
  for (std::size_t bit = 0; bit < masks.size(); ++bit) {
    number |= static_cast<std::uint64_t>(parity(vector & masks[bit])) << bit;
  }
  return number;
}

std::vector<std::uint64_t> sums(std::span<const std::uint64_t> vectors) {
  std::vector<std::uint64_t> all{0};
  all.reserve(std::size_t{1} << vectors.size());
  for (const std::uint64_t vector : vectors) {
    for (std::size_t i = 0, before = all.size(); i < before; ++i) all.push_back(all[i] ^ vector);
  }
  return all;
}

std::vector<std::size_t> odd_parities(std::span<const std::uint64_t> vectors, unsigned bits) {
  // A Walsh-Hadamard transform tells for each mask how many more are even.
  std::vector<std::int64_t> excess(std::size_t{1} << bits, 0);
  for (const std::uint64_t vector : vectors) ++excess[vector];
  for (std::size_t half = 1; half < excess.size(); half *= 2) {
    for (std::size_t first = 0; first < excess.size(); first += 2 * half) {
      for (std::size_t i = first; i < first + half; ++i) {
        const std::int64_t even = excess[i];
        const std::int64_t odd = excess[i + half];
        excess[i] = even + odd;
        excess[i + half] = even - odd;
      }
    }
  }
  std::vector<std::size_t> odd;
  odd.reserve(excess.size());
  for (const std::int64_t more : excess) odd.push_back((vectors.size() - static_cast<std::size_t>(more)) / 2);
  return odd;
}

Basis basis(std::span<const std::uint64_t> vectors) {
  Basis rows;
  for (const std::uint64_t vector : vectors) extend(rows, vector);
  std::sort(rows.begin(), rows.end(), std::greater<>());
  return rows;
}

std::size_t rank(std::span<const std::uint64_t> vectors) { return basis(vectors).size(); }

bool independent(std::span<const std::uint64_t> vectors) { return rank(vectors) == vectors.size(); }

std::uint64_t coset_representative(const Basis& space, std::uint64_t vector) {
  for (const std::uint64_t row : space) {
    vector = std::min(vector, vector ^ row);  // without the highest bit of the row
  }
  return vector;
}

Basis orthogonal_complement(const Basis& space, std::uint64_t bits) {
  // Only bits within `bits` take part in m & v. Of those, each bit that is no pivot is free; with it come the pivots
  // whose rows have it.
  Basis rows;
  for (const std::uint64_t vector : space) extend(rows, vector & bits);
  std::uint64_t pivots = 0;
  for (const std::uint64_t row : rows) pivots |= std::bit_floor(row);
  Basis masks;
  for (std::uint64_t left = bits & ~pivots; left != 0; left &= left - 1) {
    const std::uint64_t free = std::uint64_t{1} << std::countr_zero(left);
    std::uint64_t mask = free;
    for (const std::uint64_t row : rows) {
      if ((row & free) != 0) mask |= std::bit_floor(row);
    }
    masks.push_back(mask);
  }
  return basis(masks);
}

Basis quotient(const Basis& whole, const Basis& part) {
  Basis representatives;
  for (const std::uint64_t vector : whole) extend(representatives, coset_representative(part, vector));
  std::sort(representatives.begin(), representatives.end(), std::greater<>());
  return representatives;
}

LinearIndex recover_index(std::span<const std::uint64_t> differences, std::uint64_t varied_bits) {
  for (const std::uint64_t difference : differences) {
    if ((difference & ~varied_bits) != 0) throw std::invalid_argument("a difference has a bit that was not varied");
  }
  LinearIndex index{orthogonal_complement(basis(differences), varied_bits), std::nullopt};
  if (std::all_of(index.masks.begin(), index.masks.end(),
                  [](std::uint64_t mask) { return std::has_single_bit(mask); })) {
    auto& bits = index.plain_bits.emplace();
    for (const std::uint64_t mask : index.masks) bits.push_back(static_cast<unsigned>(std::countr_zero(mask)));
    std::reverse(bits.begin(), bits.end());
  }
  return index;
}

}  // namespace tomograph::analysis
