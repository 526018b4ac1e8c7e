#include "tomograph/analysis/linear_index.hpp"

#include <algorithm>
#include <bit>
#include <random>
#include <stdexcept>
#include <vector>

#include "catch.hpp"

using namespace tomograph::analysis;

namespace {

using Vectors = std::vector<std::uint64_t>;

/// Address differences within `bits` that the masks map to the same set.
Vectors same_set_differences(const Basis& masks, std::uint64_t bits, std::size_t count, std::mt19937_64& random) {
  Vectors found;
  while (found.size() < count) {
    const std::uint64_t difference = random() & bits;
    bool same = true;
    for (const std::uint64_t mask : masks) same = same && std::popcount(mask & difference) % 2 == 0;
    if (same) found.push_back(difference);
  }
  return found;
}

}  // namespace

TEST_CASE("a basis is in reduced row echelon form and the same for the same space") {
  CHECK(basis(Vectors{0b110, 0b011, 0b101}) == Basis{0b101, 0b011});
  CHECK(basis(Vectors{0b101, 0b110}) == Basis{0b101, 0b011});
  CHECK(basis(Vectors{0, 0}).empty());
  CHECK(basis(Vectors{1ull << 63, ~0ull}) == Basis{1ull << 63, ~0ull >> 1});
}

TEST_CASE("rank and independence count what is not a sum of the others") {
  CHECK(rank(Vectors{1, 2, 3}) == 2);
  CHECK(independent(Vectors{1, 2, 4}));
  CHECK_FALSE(independent(Vectors{1, 2, 3}));
  CHECK_FALSE(independent(Vectors{0}));
  CHECK(independent({}));
}

TEST_CASE("a number of parities has its lowest bit from the first mask, and sums are ordered by their parts") {
  CHECK(parity(0b0111));
  CHECK_FALSE(parity(0b0110));
  CHECK(parities(0b0110, Vectors{0b0010, 0b0110, 0b0100}) == 0b101);
  CHECK(sums(Vectors{1, 2, 8}) == Vectors{0, 1, 2, 3, 8, 9, 10, 11});
  CHECK(sums({}) == Vectors{0});
}

TEST_CASE("odd parities are counted for each mask") {
  const Vectors vectors{0b000, 0b011, 0b011, 0b101, 0b110};
  const auto odd = odd_parities(vectors, 3);
  REQUIRE(odd.size() == 8);
  for (std::uint64_t mask = 0; mask < odd.size(); ++mask) {
    CHECK(odd[mask] == static_cast<std::size_t>(std::ranges::count_if(
                           vectors, [&](std::uint64_t vector) { return parity(vector & mask); })));
  }
}

TEST_CASE("vectors share a coset exactly if their difference is in the space") {
  const Basis space = basis(Vectors{0b1100, 0b0110});
  CHECK(coset_representative(space, 0b1101) == 0b0001);
  CHECK(coset_representative(space, 0b0111) == coset_representative(space, 0b1011));
  CHECK(coset_representative(space, 0b1000) == 0b0010);
}

TEST_CASE("the complement is orthogonal, as large as it can be, and its own inverse") {
  std::mt19937_64 random(79);
  for (int round = 0; round < 200; ++round) {
    const std::uint64_t bits = random() & random();
    Vectors vectors;
    for (int i = 0; i < round % 20; ++i) vectors.push_back(random() & bits);
    const Basis space = basis(vectors);
    const Basis complement = orthogonal_complement(space, bits);
    CHECK(space.size() + complement.size() == static_cast<std::size_t>(std::popcount(bits)));
    for (const std::uint64_t v : space) {
      for (const std::uint64_t m : complement) REQUIRE(std::popcount(m & v) % 2 == 0);
    }
    CHECK(orthogonal_complement(complement, bits) == space);
  }
}

TEST_CASE("a quotient and what was divided out span the whole") {
  const Basis whole = basis(Vectors{1, 2, 4, 8});
  const Basis part = basis(Vectors{0b0011, 0b1100});
  const Basis rest = quotient(whole, part);
  CHECK(rest.size() == 2);
  Vectors together(part);
  together.insert(together.end(), rest.begin(), rest.end());
  CHECK(basis(together) == whole);
  CHECK(quotient(part, whole).empty());
  CHECK(quotient(whole, {}) == whole);
}

TEST_CASE("an index of plain bits is recovered as these bits") {
  // Mei & Chu 2017, Fig. 7: the texture cache is indexed by the 7th and 8th bits.
  std::mt19937_64 random(83);
  const std::uint64_t varied = 0xFFFE0;
  const LinearIndex index = recover_index(same_set_differences({1 << 8, 1 << 7}, varied, 60, random), varied);
  CHECK(index.bits() == 2);
  REQUIRE(index.plain_bits);
  CHECK(*index.plain_bits == std::vector<unsigned>{7, 8});
}

TEST_CASE("a hashed index is recovered with its masks") {
  std::mt19937_64 random(89);
  const std::uint64_t varied = 0x1FFFFF80;
  for (int round = 0; round < 50; ++round) {
    Vectors rows;
    for (int i = 0; i < 5; ++i) rows.push_back((random() & varied) | 0x3000);
    const Basis masks = basis(rows);
    const LinearIndex index = recover_index(same_set_differences(masks, varied, 80, random), varied);
    CHECK(index.masks == masks);
    CHECK_FALSE(index.plain_bits);
  }
}

TEST_CASE("too few differences give too many index bits, never too few") {
  std::mt19937_64 random(97);
  const std::uint64_t varied = 0x1FFF80;
  const Basis masks = basis(Vectors{0x2080, 0x4100});
  const Vectors differences = same_set_differences(masks, varied, 40, random);
  std::size_t bits = 64;
  for (std::size_t count = 0; count <= differences.size(); ++count) {
    const LinearIndex index = recover_index(std::span(differences).first(count), varied);
    CHECK(index.bits() <= bits);
    CHECK(index.bits() >= 2);
    bits = index.bits();
  }
  CHECK(bits == 2);
}

TEST_CASE("a cache of one set has an index without bits") {
  const LinearIndex index = recover_index(Vectors{1 << 5, 1 << 6}, 0x60);
  CHECK(index.bits() == 0);
  REQUIRE(index.plain_bits);
  CHECK(index.plain_bits->empty());
}

TEST_CASE("a difference in a bit that was not varied is refused") {
  CHECK_THROWS_AS(recover_index(Vectors{1}, 0xFF80), std::invalid_argument);
}
