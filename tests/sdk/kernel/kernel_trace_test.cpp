#include "tomograph/kernel/kernel_trace.hpp"

#include <set>

#include "catch.hpp"
#include "tomograph/kernel/address_walk.hpp"

namespace kernel = tomograph::kernel;
using Catch::Matchers::ContainsSubstring;
using kernel::Access;
using kernel::AddressWalk;
using kernel::Instruction;
using kernel::Kernel;
using kernel::Operation;
using kernel::Step;

namespace {

constexpr std::int64_t bytes = 1 << 20;

Kernel kernel_with(std::vector<Step> loop) {
  return {.warps = 2, .ctas = 4, .iterations = 3, .footprint = bytes, .loop = std::move(loop)};
}

Step load_from(kernel::Pattern pattern) {
  return {.operation = Operation::load, .access = Access{.pattern = pattern, .span = bytes}};
}

/// The addresses of the only instruction in iteration `iteration`.
kernel::LaneAddresses addresses(kernel::Pattern pattern, kernel::WarpPlace place, int iteration) {
  const Kernel kernel = kernel_with({load_from(pattern)});
  AddressWalk walk(kernel, kernel.loop.front(), place);
  kernel::LaneAddresses found;
  for (int i = 0; i <= iteration; ++i) found = walk.next(nullptr);
  return found;
}

}  // namespace

TEST_CASE("a stride moves by lane, warp and iteration, and wraps at the end of the span") {
  const kernel::Stride stride{.lane_stride = 2, .warp_stride = 100, .iteration_stride = 1000, .offset = 7};
  CHECK(addresses(stride, {.cta = 0, .warp = 0}, 0)[0] == 4 * 7);
  CHECK(addresses(stride, {.cta = 0, .warp = 0}, 0)[31] == 4 * (7 + 62));
  CHECK(addresses(stride, {.cta = 3, .warp = 1}, 2)[1] == 4 * (7 + 700 + 2000 + 2));
  const kernel::Stride last{.lane_stride = 1, .offset = bytes / 4 - 1};
  CHECK(addresses(last, {}, 0)[1] == 0);
}

TEST_CASE("lanes of a group share a random block, and other groups, iterations and seeds have others") {
  const auto first = addresses(kernel::Hash{.group = 8, .block = 64}, {}, 0);
  CHECK(*first[0] / 64 == *first[7] / 64);
  CHECK(*first[7] - *first[0] == 28);
  std::set<std::uint64_t> blocks;
  for (int i = 0; i < 3; ++i) {
    for (std::int64_t seed : {0, 1000}) {
      for (const auto& address : addresses(kernel::Hash{.group = 8, .block = 64, .seed = seed}, {}, i)) {
        blocks.insert(*address / 64);
      }
    }
  }
  CHECK(blocks.size() == 24);
}

TEST_CASE("random blocks fill the span evenly") {
  const Kernel kernel = kernel_with({load_from(kernel::Hash{})});
  std::array<int, 16> parts{};
  AddressWalk walk(kernel, kernel.loop.front(), {});
  for (int i = 0; i < 500; ++i) {
    for (const auto& address : walk.next(nullptr)) ++parts[*address / (bytes / 16)];
  }
  for (const int part : parts) {
    CHECK(part > 850);  // 1000 expected, with a standard deviation of 31
    CHECK(part < 1150);
  }
}

TEST_CASE("a stencil touches the neighbours of its cells, tile by tile") {
  const kernel::Stencil centre{.width = 64};
  CHECK(addresses(centre, {.cta = 0, .warp = 1}, 0)[5] == 4 * (64 + 5));
  CHECK(addresses(centre, {.cta = 1, .warp = 0}, 0)[5] == 4 * (32 + 5));
  CHECK(addresses(centre, {.cta = 2, .warp = 0}, 0)[5] == 4 * (2 * 64 + 5));
  CHECK(addresses(centre, {.cta = 0, .warp = 0}, 1)[0] == 4 * (4 * 64));  // two rows of tiles of two rows
  CHECK(addresses({kernel::Stencil{.width = 64, .dx = -1}}, {}, 0)[0] == bytes - 4);
  CHECK(addresses({kernel::Stencil{.width = 64, .dy = 1}}, {}, 0)[0] == 4 * 64);
}

TEST_CASE("rows of a sparse matrix follow each other without gaps, and lanes stop at the ends of their rows") {
  const Kernel kernel = kernel_with({load_from(kernel::Csr{8})});
  std::set<std::uint64_t> touched;
  std::size_t count = 0;
  for (std::int64_t cta = 0; cta < 4; ++cta) {
    for (std::int64_t warp = 0; warp < 2; ++warp) {
      AddressWalk walk(kernel, kernel.loop.front(), {.cta = cta, .warp = warp});
      for (int i = 0; i < 16; ++i) {
        for (const auto& address : walk.next(nullptr)) {
          if (!address) continue;
          touched.insert(*address / 4);
          ++count;
        }
      }
    }
  }
  CHECK(touched.size() == count);
  CHECK(*touched.rbegin() - *touched.begin() + 1 == count);
}

TEST_CASE("columns lie a row apart") {
  const kernel::Column column{.width = 128};
  CHECK(addresses(column, {.cta = 1, .warp = 0}, 2)[3] == 4 * ((64 + 3) * 128 + 2));
}

TEST_CASE("a gather goes where the words that its index load has read point to") {
  const Kernel kernel = kernel_with({load_from(kernel::Stride{}), load_from(kernel::Gather{0})});
  AddressWalk index(kernel, kernel.loop[0], {});
  AddressWalk gather(kernel, kernel.loop[1], {});
  const auto from = index.next(nullptr);
  const auto to = gather.next(&from);
  CHECK(to[3] == 4 * std::uint64_t{kernel::mulhi(kernel::mix(3), bytes / 4)});
}

TEST_CASE("a trace has the sectors of each load in the order of the lanes, each once") {
  const auto warp = kernel::KernelTrace("k", kernel_with({load_from(kernel::Stride{})})).warp(0, 1);
  const Instruction& load = warp.instructions[4];
  CHECK(load.operation == Operation::load);
  REQUIRE(load.sector_count == 4);
  CHECK(warp.sectors[load.first_sector] == 4);
  CHECK(warp.sectors[load.first_sector + 3] == 7);
  CHECK_FALSE(load.past_l1);
}

TEST_CASE("an instruction of a trace needs what its description needs, in this iteration or the one before") {
  Step sum{.operation = Operation::fp32, .count = 2, .needs = {0, 2 + 1}};
  const auto warp = kernel::KernelTrace("k", kernel_with({load_from(kernel::Hash{}), sum})).warp(0, 0);
  // Three for the address, the load, two of the chain, three of the loop; the sum is needed, so nothing is combined.
  REQUIRE(warp.instructions.size() == 3 * 9);
  CHECK(warp.instructions[3].needs[0] == 2);
  CHECK(warp.instructions[4].needs == std::array{3, Instruction::no_need, Instruction::no_need});
  CHECK(warp.instructions[5].needs[0] == 4);
  CHECK(warp.instructions[13].needs == std::array{12, 5, Instruction::no_need});
}

TEST_CASE("an atomic of a trace returns something if an instruction needs it") {
  Step atomic = load_from(kernel::Hash{});
  atomic.operation = Operation::atomic;
  Kernel kernel = kernel_with({atomic});
  CHECK_FALSE(kernel::KernelTrace("k", kernel).warp(0, 0).instructions[3].returns);
  kernel.loop.push_back({.operation = Operation::integer, .needs = {0}});
  CHECK(kernel::KernelTrace("k", kernel).warp(0, 0).instructions[3].returns);
}

TEST_CASE("a load of which no lane takes part is issued and accesses nothing") {
  Kernel kernel = kernel_with({load_from(kernel::Csr{2})});
  kernel.iterations = 5;  // longer than any row
  const auto warp = kernel::KernelTrace("k", kernel).warp(0, 0);
  const Instruction& last = warp.instructions[4 * 8 + 3];
  CHECK(last.operation == Operation::integer);
  CHECK(last.sector_count == 0);
}

TEST_CASE("a kernel whose warps execute more than can be traced is refused, with the number and the limit") {
  Kernel kernel = kernel_with({{.operation = Operation::integer}});  // 5 instructions in each iteration
  kernel.iterations = kernel::most_traced_instructions / 5;
  CHECK_NOTHROW(kernel::KernelTrace("k", kernel));
  kernel.iterations = std::int64_t{1} << 24;
  CHECK_THROWS_WITH(kernel::KernelTrace("k", kernel),
                    ContainsSubstring("83886080 instructions") && ContainsSubstring("(16777216)"));
}

TEST_CASE("words of one bank are counted once each, and all words of wide elements") {
  const auto strided = [](std::uint64_t stride, std::uint32_t element) {
    std::vector<std::uint64_t> addresses;
    for (std::uint64_t lane = 0; lane < 32; ++lane) addresses.push_back(lane * stride);
    return kernel::bank_words(addresses, element);
  };
  CHECK(strided(0, 4) == 1);
  CHECK(strided(4, 4) == 1);
  CHECK(strided(8, 4) == 2);
  CHECK(strided(128, 4) == 32);
  CHECK(strided(132, 4) == 1);
  CHECK(strided(8, 8) == 2);
  CHECK(strided(16, 16) == 4);
  CHECK(strided(1, 1) == 1);
}
