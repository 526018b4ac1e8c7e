#include <algorithm>
#include <map>
#include <random>
#include <tuple>
#include <vector>

#include "analysis_quotient_index.hpp"
#include "catch.hpp"
#include "tomograph/analysis/linear_index.hpp"

using namespace tomograph;
using namespace tomograph::data_cache;

namespace {

/// An L2 like that of an H200: physical line numbers, of which bit 14 is the lowest one of the page's number.
struct PhysicalL2 {
  static constexpr std::int64_t lines_per_page = 16384;
  static constexpr std::int64_t pages = 96;

  std::vector<std::uint64_t> homes{0x2a1560};
  std::vector<std::uint64_t> hashed{0x193250, 0x321e80, 0x2d3b48, 0x072a22, 0x3c1e48, 0x150c90};
  std::int64_t slices = 47;
  std::uint64_t first_page = 3177;

  /// The slice and the set of a line, which its copies share in the other partition.
  [[nodiscard]] std::tuple<std::uint64_t, std::uint64_t, std::uint64_t> set_of(std::uint64_t line) const {
    const std::uint64_t number = analysis::parities(line, hashed) | line >> 10U << 6U;
    const std::uint64_t slice = number % static_cast<std::uint64_t>(slices);
    const std::uint64_t q = number / static_cast<std::uint64_t>(slices);
    const std::uint64_t k = analysis::parities(line, std::vector<std::uint64_t>{1, 4, 0x200});
    const auto odd = [&](std::uint64_t of_quotient, std::uint64_t of_place) {
      return static_cast<std::uint64_t>(analysis::parity(q & of_quotient) != analysis::parity(k & of_place));
    };
    const std::uint64_t parities = odd(0xd01, 5) | odd(0x702, 2) << 1U | odd(0x304, 6) << 2U | odd(0xd20, 4) << 3U |
                                   odd(0xe40, 2) << 4U | odd(0x80, 5) << 5U;
    const std::uint64_t divided = analysis::parities(q, std::vector<std::uint64_t>{0xbe8, 0x910}) + (q >> 5U << 2U);
    return {slice, parities, divided % 5};
  }

  /// Lines of some sets in pages side by side.
  [[nodiscard]] std::vector<std::vector<std::int64_t>> lines_of(std::size_t count) const {
    std::map<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>, std::vector<std::int64_t>> sets;
    for (std::uint64_t line = 5; sets.size() < count; line += 1234) sets[set_of(first_page * lines_per_page + line)];
    for (std::int64_t line = 0; line < pages * lines_per_page; ++line) {
      const auto found = sets.find(set_of(first_page * lines_per_page + static_cast<std::uint64_t>(line)));
      if (found != sets.end()) found->second.push_back(line);
    }
    std::vector<std::vector<std::int64_t>> lines;
    for (auto& [set, own] : sets) lines.push_back(std::move(own));
    return lines;
  }

  [[nodiscard]] SliceNumber number() const {
    SliceNumber number{.classes = homes, .masks = {}, .factor = slices};
    for (std::uint64_t& mask : number.classes) mask %= lines_per_page;
    for (const std::uint64_t mask : hashed) number.masks.push_back(mask % lines_per_page);
    for (std::uint64_t bit = 1024; bit < lines_per_page; bit *= 2) number.masks.push_back(bit);
    return number;
  }
};

}  // namespace

TEST_CASE("the quotient of the number that tells slices chooses the set, by parities and a remainder") {
  const PhysicalL2 l2;
  const auto found = index_of_quotient(l2.lines_of(12), PhysicalL2::lines_per_page, l2.number(), 330);
  REQUIRE(found);
  CHECK(found->number.masks == l2.number().masks);
  CHECK(found->parities.size() == 6);
  CHECK(found->factor == 5);
  CHECK(found->shift == 3);
  CHECK(found->lines > 1000);
  CHECK(found->wrong == 0);
}

TEST_CASE("of bits that are worth the same to the remainder, lines of sets tell the order") {
  PhysicalL2 l2;
  l2.slices = 3;
  l2.homes.clear();
  const auto sets = l2.lines_of(12);
  SliceNumber exchanged = l2.number();
  std::swap(exchanged.masks[0], exchanged.masks[4]);
  std::swap(exchanged.masks[1], exchanged.masks[5]);
  const auto found = index_of_quotient(sets, PhysicalL2::lines_per_page, exchanged, 300);
  REQUIRE(found);
  CHECK(found->number.masks == l2.number().masks);
  CHECK(found->sets() == 320);
  CHECK(found->wrong == 0);
}

TEST_CASE("the number of sets is that of the index, though lines of few pages tell another") {
  const PhysicalL2 l2;
  const auto sets = l2.lines_of(12);
  for (const double about : {250., 400.}) {
    const auto found = index_of_quotient(sets, PhysicalL2::lines_per_page, l2.number(), about);
    REQUIRE(found);
    CHECK(found->sets() == 320);
  }
  CHECK_FALSE(index_of_quotient(sets, PhysicalL2::lines_per_page, l2.number(), 960));
}

TEST_CASE("lines whose sets do not follow from the quotient have no such index") {
  const PhysicalL2 l2;
  std::mt19937_64 random(1);
  auto sets = l2.lines_of(12);
  for (auto& lines : sets) {
    for (std::int64_t& line : lines) {
      line = line / PhysicalL2::lines_per_page * PhysicalL2::lines_per_page +
             static_cast<std::int64_t>(random() % PhysicalL2::lines_per_page);
    }
  }
  CHECK_FALSE(index_of_quotient(sets, PhysicalL2::lines_per_page, l2.number(), 330));
  CHECK_FALSE(index_of_quotient({}, PhysicalL2::lines_per_page, l2.number(), 330));
}

TEST_CASE("pages that do not lie side by side in memory show no quotient") {
  const PhysicalL2 l2;
  auto sets = l2.lines_of(12);
  for (auto& lines : sets) {
    for (std::int64_t& line : lines) {
      const std::int64_t page = line / PhysicalL2::lines_per_page;
      line += (page * 37 % PhysicalL2::pages - page) * PhysicalL2::lines_per_page;
    }
    std::sort(lines.begin(), lines.end());
  }
  CHECK_FALSE(index_of_quotient(sets, PhysicalL2::lines_per_page, l2.number(), 330));
}
