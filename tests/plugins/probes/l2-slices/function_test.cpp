#include <algorithm>
#include <bit>
#include <functional>
#include <random>

#include "analysis_clusters.hpp"
#include "analysis_function.hpp"
#include "catch.hpp"

using namespace tomograph::l2_slices;

namespace {

constexpr std::int64_t lines_of_page = 16384;
/// Of the page in memory.
constexpr std::uint64_t base = 0x1a5c000;

std::uint64_t parities(std::uint64_t number, const std::vector<std::uint64_t>& masks) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < masks.size(); ++i) {
    value |= static_cast<std::uint64_t>(std::popcount(number & masks[i]) & 1) << i;
  }
  return value;
}

/// A page whose lines go to `slices` slices, `twins` of which in a row are one cluster. Every eighth line was
/// contended. Of three other pages, one line in sixteen is known.
PageOfLines page_of(std::size_t slices, std::size_t twins, const std::function<std::size_t(std::uint64_t)>& slice_of) {
  PageOfLines page;
  for (std::size_t slice = 0; slice < slices; ++slice) page.cluster_of_slice.push_back(slice / twins);
  std::mt19937_64 random(1);
  for (std::int64_t line = 0; line < lines_of_page; ++line) {
    const std::size_t slice = slice_of(base + static_cast<std::uint64_t>(line));
    page.cluster.push_back(static_cast<int>(slice / twins));
    if (random() % 8 == 0) page.homes.push_back({line, slice});
  }
  for (std::uint64_t number = 1; number < 4; ++number) {
    LinesOfPage& other = page.others.emplace_back();
    for (std::int64_t line = 0; line < lines_of_page; ++line) {
      if (random() % 16 != 0) continue;
      other.lines.push_back(line);
      const std::uint64_t distance = number * 5 * lines_of_page;
      other.clusters.push_back(static_cast<int>(slice_of(base + distance + static_cast<std::uint64_t>(line)) / twins));
    }
  }
  return page;
}

/// `factor` times as many slices as masks have values.
PageOfLines remainders(std::uint64_t factor, unsigned shift, const std::vector<std::uint64_t>& masks,
                       std::size_t twins = 1) {
  return page_of(factor << masks.size(), twins, [=](std::uint64_t number) {
    return static_cast<std::size_t>((number >> shift) % factor << masks.size() | parities(number, masks));
  });
}

const std::vector<std::uint64_t> four_masks{0x1001, 0x2412, 0x0924, 0x1248};
const std::vector<std::uint64_t> five_masks{0x1001, 0x2412, 0x0924, 0x1248, 0x0890};

/// As on an H200: the remainder by 47 of a number whose lower bits are hashed, and a parity.
std::size_t slice_of_94(std::uint64_t line) {
  const std::vector<std::uint64_t> masks{0x1b3250, 0x0c1e80, 0x323b48, 0x112a22, 0x081e48, 0x150c90};
  const std::uint64_t number = parities(line, masks) | line >> 10U << 6U;
  return static_cast<std::size_t>(number % 47 + 47 * parities(line, {0x0a1560}));
}

/// Moves one line in `every` to another cluster.
void disturb(PageOfLines& page, std::size_t every) {
  for (std::size_t line = 5; line < page.cluster.size(); line += every)
    page.cluster[line] = (page.cluster[line] + 1) % 3;
}

}  // namespace

TEST_CASE("slices by XORs of address bits are found with their masks") {
  const auto found = find_function(remainders(1, 0, four_masks));
  REQUIRE(found.function);
  CHECK(found.function->kind == FunctionKind::xor_masks);
  CHECK(found.function->masks == tomograph::analysis::basis(four_masks));
  CHECK(found.function->tested > 14000);
  CHECK(found.function->wrong == 0);
  CHECK(found.function->pages == 4);
}

TEST_CASE("five times sixteen and three times thirty-two slices are masks and a remainder") {
  for (const std::size_t twins : {std::size_t{1}, std::size_t{2}}) {
    const auto five = find_function(remainders(5, 5, four_masks, twins));
    REQUIRE(five.function);
    CHECK(five.function->kind == FunctionKind::remainder);
    CHECK(five.function->factor == 5);
    CHECK(five.function->number.masks.front() == 1U << 5);
    CHECK(five.function->masks == tomograph::analysis::basis(four_masks));
    CHECK(five.function->wrong == 0);
  }
  const auto three = find_function(remainders(3, 4, five_masks));
  REQUIRE(three.function);
  CHECK(three.function->kind == FunctionKind::remainder);
  CHECK(three.function->factor == 3);
  CHECK(three.function->number.masks.front() == 1U << 4);
}

TEST_CASE("six times sixteen slices are five masks and a remainder by three") {
  const auto found = find_function(remainders(6, 5, four_masks));
  REQUIRE(found.function);
  CHECK(found.function->masks.size() == 5);
  CHECK(found.function->factor == 3);
}

TEST_CASE("slices are the remainder of a number whose bits are parities, and other pages follow it") {
  for (const std::size_t twins : {std::size_t{1}, std::size_t{2}}) {
    INFO(twins);
    const auto found = find_function(page_of(94, twins, slice_of_94));
    REQUIRE(found.function);
    CHECK(found.function->kind == FunctionKind::remainder);
    CHECK(found.function->factor == 47);
    CHECK(found.function->entries.size() == 94);
    CHECK(found.function->tested > 4000);
    CHECK(found.function->wrong == 0);
    CHECK(found.function->pages == 4);
    CHECK(tomograph::analysis::basis(found.function->slice_masks) == tomograph::analysis::Basis{0x1560});
  }
}

TEST_CASE("clusters alone show the number, too, if the slices were found among lines of another page") {
  PageOfLines page = page_of(94, 2, slice_of_94);
  page.homes.clear();
  const auto found = find_function(page);
  REQUIRE(found.function);
  CHECK(found.function->factor == 47);
  CHECK(found.function->wrong == 0);
}

TEST_CASE("a number that another page does not follow is a table of the first page") {
  PageOfLines page = page_of(94, 1, slice_of_94);
  std::mt19937_64 random(4);
  for (int& cluster : page.others[1].clusters) cluster = static_cast<int>(random() % 94);
  const auto found = find_function(page);
  REQUIRE(found.function);
  CHECK(found.function->kind == FunctionKind::table);
  CHECK(found.function->pages == 1);
}

TEST_CASE("a page of which hardly a line is known tells nothing") {
  PageOfLines page = page_of(94, 1, slice_of_94);
  std::ranges::fill(page.others[1].clusters, no_cluster);
  const auto found = find_function(page);
  REQUIRE(found.function);
  CHECK(found.function->kind == FunctionKind::remainder);
  CHECK(found.function->pages == 3);
}

TEST_CASE("of five times sixteen slices, too, whichever of them no latency separates") {
  const std::vector<std::uint64_t> number{0x0102, 0x0208, 0x0410, 0x0820, 0x1040, 0x2080};
  const std::vector<std::uint64_t> masks{0x1100, 0x0302, 0x2210, 0x0060};
  for (const std::size_t twins : {std::size_t{1}, std::size_t{2}, std::size_t{4}}) {
    INFO(twins);
    const auto found = find_function(page_of(80, twins, [&](std::uint64_t line) {
      return static_cast<std::size_t>(parities(line, number) % 5 << 4 | parities(line, masks));
    }));
    REQUIRE(found.function);
    CHECK(found.function->kind == FunctionKind::remainder);
    CHECK(found.function->factor == 5);
    CHECK(found.function->wrong == 0);
  }
}

TEST_CASE("a table of clusters stands where no remainder predicts slices") {
  const std::vector<std::uint64_t> masks{0x0102, 0x0208, 0x0410, 0x0820, 0x1040, 0x2080, 0x0003, 0x0015, 0x0240};
  std::mt19937_64 random(3);
  std::vector<std::size_t> slices(512);
  for (std::size_t& slice : slices) slice = random() % 15;
  const auto found = find_function(page_of(15, 1, [&](std::uint64_t line) { return slices[parities(line, masks)]; }));
  REQUIRE(found.function);
  CHECK(found.function->kind == FunctionKind::table);
  CHECK(found.function->entries.size() == 512);
  CHECK(found.function->wrong == 0);
}

TEST_CASE("a few strays leave the function, many leave it open with what it predicts") {
  PageOfLines page = remainders(5, 5, four_masks);
  disturb(page, 2000);
  const auto found = find_function(page);
  REQUIRE(found.function);
  CHECK(found.function->factor == 5);
  CHECK(found.function->wrong > 0);
  disturb(page, 100);
  const auto open = find_function(page);
  CHECK_FALSE(open.function);
  CHECK(open.reason.find("4 XORs of address bits and a remainder by 5 predict 98.") == 0);
}

TEST_CASE("lines of a disabled slice that go elsewhere by a hash leave the function open") {
  const auto found = find_function(page_of(15, 1, [&](std::uint64_t number) {
    const auto value = static_cast<std::size_t>(parities(number, four_masks));
    std::mt19937_64 hash(number);
    return value < 15 ? value : static_cast<std::size_t>(hash() % 15);
  }));
  CHECK_FALSE(found.function);
  CHECK(found.reason.find("4 XORs of address bits predict 9") == 0);
}

TEST_CASE("lines that follow no rule have no function") {
  std::mt19937_64 random(2);
  const auto found = find_function(page_of(16, 1, [&](std::uint64_t) { return random() % 16; }));
  CHECK_FALSE(found.function);
  CHECK(found.reason ==
        "no XOR of address bits is the same for all lines of a slice; no table is smaller than the page");
}
