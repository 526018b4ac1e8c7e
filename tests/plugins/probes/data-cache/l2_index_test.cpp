#include <algorithm>
#include <bit>
#include <map>
#include <random>
#include <utility>

#include "analysis_l2_index.hpp"
#include "catch.hpp"

namespace {

using namespace tomograph;
using namespace tomograph::data_cache;

constexpr std::int64_t lines_per_page = 1024;
constexpr std::int64_t page_count = 128;
using Lines = std::vector<std::vector<std::int64_t>>;

/// The lines of all pages by every 17th set, of those into which `set_of` puts them, given a random number for each
/// page.
template <typename SetOf>
Lines lines_of_sets(SetOf set_of) {
  constexpr std::uint64_t step = 17;
  std::map<std::uint64_t, std::vector<std::int64_t>> by_set;
  std::mt19937_64 random(7);
  for (std::int64_t page = 0; page < page_count; ++page) {
    const std::uint64_t moved = random();
    for (std::int64_t place = 0; place < lines_per_page; ++place) {
      const std::uint64_t set = set_of(static_cast<std::uint64_t>(place), moved);
      if (set % step == 0) by_set[set].push_back(page * lines_per_page + place);
    }
  }
  Lines lines;
  for (auto& [set, of_set] : by_set) lines.push_back(std::move(of_set));
  return lines;
}

std::uint64_t parities(std::uint64_t place, const analysis::Basis& masks) {
  std::uint64_t all = 0;
  for (const std::uint64_t mask : masks) all = 2 * all + static_cast<std::uint64_t>(std::popcount(place & mask) % 2);
  return all;
}

const analysis::Basis masks{0x280, 0x141, 0x022, 0x014, 0x008, 0x301, 0x050};

/// Sets by these parities, which each page moves by its own XOR.
Lines hashed() {
  return lines_of_sets([](std::uint64_t place, std::uint64_t moved) { return parities(place, masks) ^ (moved % 128); });
}

/// Three bits beside a remainder by 25 of the others, of which each page inverts some.
std::uint64_t partly_hashed(std::uint64_t place, std::uint64_t moved) {
  const std::uint64_t address = place ^ (moved % lines_per_page);
  return address % 8 + 8 * (address / 8 % 25);
}

}  // namespace

TEST_CASE("an index that is an XOR of address bits is found, whatever the address of each page") {
  const auto index = index_in_page(hashed(), lines_per_page, 0);
  REQUIRE(index);
  CHECK(index->kind == PageIndex::Kind::parities);
  CHECK(index->masks == analysis::basis(masks));
  CHECK(index->wrong == 0);
}

TEST_CASE("where a page has one line of each set at most, all its bits choose the set") {
  const auto lines = lines_of_sets([](std::uint64_t place, std::uint64_t moved) {
    const std::uint64_t colour = moved / lines_per_page % 2;
    return (place ^ (moved % lines_per_page)) * 2 + colour;
  });
  const auto index = index_in_page(lines, lines_per_page, 0);
  REQUIRE(index);
  CHECK(index->kind == PageIndex::Kind::parities);
  CHECK(index->masks.size() == 10);
}

TEST_CASE("an index that is a remainder is found, though parities tell a part of it") {
  const auto lines = lines_of_sets([](std::uint64_t place, std::uint64_t moved) { return (place + moved % 96) % 96; });
  const auto index = index_in_page(lines, lines_per_page, 96);
  REQUIRE(index);
  CHECK(index->kind == PageIndex::Kind::remainder);
  CHECK(index->modulus == 96);
  CHECK(index->wrong == 0);
}

TEST_CASE("of an index that is no XOR, the parities are found that all lines of a set share") {
  const auto index = index_in_page(lines_of_sets(partly_hashed), lines_per_page, 200);
  REQUIRE(index);
  CHECK(index->kind == PageIndex::Kind::partly_parities);
  CHECK(index->masks == analysis::Basis{4, 2, 1});
}

TEST_CASE("lines at random places have no index") {
  Lines lines(12);
  std::mt19937_64 random(5);
  for (auto& of_set : lines) {
    for (int i = 0; i < 300; ++i) of_set.push_back(static_cast<std::int64_t>(random() % (page_count * lines_per_page)));
    std::ranges::sort(of_set);
  }
  CHECK_FALSE(index_in_page(lines, lines_per_page, 96));
}

TEST_CASE("an index that places more than one line in a thousand wrongly is none") {
  Lines lines = hashed();
  std::mt19937_64 random(11);
  for (auto& of_set : lines) {
    for (std::size_t i = 0; i < of_set.size(); i += 50)
      of_set[i] ^= static_cast<std::int64_t>(random() % lines_per_page);
    std::ranges::sort(of_set);
  }
  CHECK_FALSE(index_in_page(lines, lines_per_page, 0));
}

TEST_CASE("parities that lines of some sets share, but not those of others, are no index") {
  // The numbers 0, 25, 50, ..., which one remainder by 25 has, have parities in common that others have not.
  const Lines alike = lines_of_sets([](std::uint64_t place, std::uint64_t moved) {
    const std::uint64_t set = partly_hashed(place, moved);
    return set < 6 ? 17 * set : 1;
  });
  const Lines others = lines_of_sets(partly_hashed);
  Lines lines;
  for (std::size_t i = 0; i < alike.size(); ++i) {
    lines.push_back(alike[i]);
    lines.push_back(others[i + 1]);
  }
  CHECK_FALSE(index_in_page(lines, lines_per_page, 0));
}

TEST_CASE("few lines tell no index") {
  const Lines few{{1, 9, 17}, {2, 10, 18}};
  CHECK_FALSE(enough_lines(few, lines_per_page));
  CHECK_FALSE(index_in_page(few, lines_per_page, 8));
  CHECK(enough_lines(hashed(), lines_per_page));
}
