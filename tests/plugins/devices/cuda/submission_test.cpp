#include "cuda/chase/submission.hpp"

#include <cstring>
#include <vector>

#include "catch.hpp"

using namespace tomograph;
using Catch::Matchers::ContainsSubstring;

namespace {

constexpr std::int64_t sms = 4;

/// Does on the host what the kernels do with a submission: writes the rings, then follows them. Each load takes 7
/// "cycles".
std::vector<std::uint64_t> follow(const cuda::Submission& submission) {
  std::vector<std::int64_t> sent;
  for (const auto list : submission.lists()) sent.insert(sent.end(), list.begin(), list.end());
  for (const cuda::RingTask& ring : submission.rings(reinterpret_cast<cuda::Address>(sent.data()))) {
    const auto* list = reinterpret_cast<const std::int64_t*>(ring.list);
    const auto address = [&](std::uint64_t i) {
      const auto even = ring.start + static_cast<std::int64_t>(i) * ring.stride;
      return ring.base + static_cast<cuda::Address>(list != nullptr ? list[i] : even);
    };
    for (std::uint64_t i = 0; i < ring.count; ++i) {
      *reinterpret_cast<cuda::Address*>(address(i)) = address((i + 1) % ring.count);
    }
  }
  std::vector<std::uint64_t> slots(submission.slots());
  for (const cuda::PartTask& part : submission.parts()) {
    if (part.program == cuda::no_program) continue;
    for (std::uint32_t i = part.first_own; i < part.phases; i = submission.phases()[part.first_phase + i].next) {
      const cuda::PhaseTask& phase = submission.phases()[part.first_phase + i];
      REQUIRE(phase.part == part.part);
      cuda::Address node = submission.starts()[phase.first_start];
      std::uint64_t* slot = slots.data() + part.output + phase.slot;
      for (std::uint64_t load = 0; load < phase.loads; ++load) {
        node = *reinterpret_cast<const cuda::Address*>(node);
        if (phase.timing == TOMOGRAPH_TIMED_EACH) slot[load] = (node >> 3 << 32) | 7;
      }
      if (phase.timing == TOMOGRAPH_TIMED_TOTAL) *slot = 7 * phase.loads;
    }
  }
  return slots;
}

struct Memory {
  std::vector<std::uint64_t> words = std::vector<std::uint64_t>(4096);
  [[nodiscard]] cuda::Address address() const { return reinterpret_cast<cuda::Address>(words.data()); }
  [[nodiscard]] cuda::Place place() const { return {address(), 0, 0}; }
};

/// Two actors on different SMs, three kinds of rings, all timings.
chase::Program varied() {
  chase::Program program;
  program.arrays = {{16384}, {16384}};
  program.rings = {{0, 8, 128, 10, chase::Order::sequential, 0, {}},
                   {0, 64, 128, 10, chase::Order::shuffled, 5, {}},
                   {1, 0, 0, 0, chase::Order::sequential, 0, {4096, 0, 800}}};
  program.actors = {{chase::any_sm}, {2}};
  program.phases = {{0, 1, 3, 25, chase::Timing::each},
                    {1, 0, 0, 100, chase::Timing::total},
                    {1, 2, 2, 4, chase::Timing::each},
                    {0, 0, 9, 5, chase::Timing::untimed},
                    {0, 0, 9, 2, chase::Timing::each}};
  return program;
}

}  // namespace

TEST_CASE("a submission brings back every phase's nodes, latencies and totals in the order of the program") {
  const auto program = varied();
  const Memory first;
  const Memory second;
  cuda::Shuffles shuffles;
  cuda::Submission submission(sms);
  submission.begin_wave({});
  submission.add(program, {0, {0, 2}}, {first.place(), second.place()}, shuffles);
  const auto result = submission.result(program, submission.entries().front(), follow(submission));

  REQUIRE(result.sms == std::vector<std::int64_t>{0, 2});
  REQUIRE(result.totals == std::vector<double>{700});
  REQUIRE(result.traces.size() == 3);
  REQUIRE(result.traces[0].latency == std::vector<std::uint32_t>(25, 7));
  REQUIRE(result.traces[0].node[0] == 3);
  REQUIRE(result.traces[0].node[24] == 7);
  REQUIRE(result.traces[1].node == std::vector<std::uint32_t>{2, 0, 1, 2});
  REQUIRE(result.traces[2].node == std::vector<std::uint32_t>{9, 0});
}

TEST_CASE("programs of one submission do not disturb each other") {
  auto program = varied();
  program.actors[1].sm = chase::any_sm;
  std::vector<Memory> memories(6);
  cuda::Shuffles shuffles;
  cuda::Submission submission(sms);
  for (std::size_t i = 0; i < 3; ++i) {
    if (i != 1) submission.begin_wave({});
    submission.add(program, {i, {static_cast<std::int64_t>(i)}}, {memories[2 * i].place(), memories[2 * i + 1].place()},
                   shuffles);
  }
  const auto slots = follow(submission);
  for (const cuda::Entry& entry : submission.entries()) {
    REQUIRE(submission.result(program, entry, slots).traces[0].node[0] == 3);
    REQUIRE(submission.result(program, entry, slots).totals == std::vector<double>{700});
  }
}

TEST_CASE("a node list that programs share is sent once") {
  const auto program = varied();
  const Memory first;
  const Memory second;
  cuda::Shuffles shuffles;
  cuda::Submission submission(sms);
  for (std::size_t i = 0; i < 2; ++i) {
    submission.begin_wave({});
    submission.add(program, {i, {0, 2}}, {first.place(), second.place()}, shuffles);
  }
  REQUIRE(submission.listed_nodes() == 10 + 3);
}

TEST_CASE("threads start at evenly spaced nodes") {
  auto program = varied();
  program.actors = {{chase::any_sm, chase::Path::global_ca, 3}};
  program.phases = {{0, 0, 4, 30, chase::Timing::untimed}};
  const Memory first;
  const Memory second;
  cuda::Shuffles shuffles;
  cuda::Submission submission(sms);
  submission.begin_wave({});
  submission.add(program, {0, {1}}, {first.place(), second.place()}, shuffles);
  const auto node = [&](std::uint64_t i) { return first.address() + 8 + 128 * i; };
  REQUIRE(submission.starts() == std::vector<cuda::Address>{node(4), node(7), node(0)});
}

TEST_CASE("an actor that left its ring is a mismatch, not a result") {
  const auto program = varied();
  const Memory first;
  const Memory second;
  cuda::Shuffles shuffles;
  cuda::Submission submission(sms);
  submission.begin_wave({});
  submission.add(program, {0, {0, 2}}, {first.place(), second.place()}, shuffles);
  auto slots = follow(submission);
  slots[2] ^= std::uint64_t{1} << 40U;
  REQUIRE_THROWS_WITH(submission.result(program, submission.entries().front(), slots), ContainsSubstring("load 2 "));
}

TEST_CASE("nodes of a linear texture are numbers of texels, those of a two-dimensional one are coordinates") {
  auto program = varied();
  program.arrays[1] = {16384, chase::no_alias, chase::Space::texture, 512};
  program.actors = {{chase::any_sm, chase::Path::texture}, {chase::any_sm, chase::Path::texture_2d}};
  program.phases = {{0, 0, 1, 1, chase::Timing::each}, {1, 2, 0, 1, chase::Timing::each}};
  cuda::Shuffles shuffles;
  cuda::Submission submission(sms);
  submission.begin_wave({});
  submission.add(program, {0, {1}}, {{1 << 20, 77, 0}, {0, 88, 99}}, shuffles);
  REQUIRE(submission.phases()[0].texture == 77);
  REQUIRE(submission.phases()[1].texture == 88);
  REQUIRE(submission.starts() == std::vector<std::uint64_t>{(8 + 128) / 8, std::uint64_t{4096 / 512} << 32U});
  const auto rings = submission.rings(0);
  REQUIRE(rings[0].format == cuda::NodeFormat::index);
  REQUIRE(rings[2].format == cuda::NodeFormat::texel);
  REQUIRE(rings[2].base == 99);
  // The next nodes are texel (8 + 2 * 128) / 8 and the one at offset 0.
  const std::vector<std::uint64_t> slots{std::uint64_t{33} << 32U | 7, 7};
  const auto result = submission.result(program, submission.entries().front(), slots);
  REQUIRE(result.traces[0].node == std::vector<std::uint32_t>{1});
  REQUIRE(result.traces[1].node == std::vector<std::uint32_t>{0});
}

TEST_CASE("constant memory holds the nodes of its rings, once for all programs of the wave") {
  chase::Program program;
  program.arrays = {{300, chase::no_alias, chase::Space::constant}, {1024, chase::no_alias, chase::Space::constant}};
  program.rings = {{1, 8, 64, 4, chase::Order::sequential, 0, {}}};
  program.actors = {{chase::any_sm, chase::Path::constant}};
  program.phases = {{0, 0, 3, 1, chase::Timing::each}};
  cuda::Shuffles shuffles;
  cuda::Submission submission(sms);
  submission.begin_wave({});
  const std::vector<cuda::Place> places{{0, 0, 0}, {512, 0, 0}};
  submission.add(program, {0, {0}}, places, shuffles);
  submission.add(program, {1, {1}}, places, shuffles);
  REQUIRE(submission.waves().front().constants == (512 + 1024) / 8);
  REQUIRE(submission.constants().size() == (512 + 1024) / 8);
  REQUIRE(submission.constants()[(512 + 8) / 8] == 512 + 8 + 64);
  REQUIRE(submission.constants()[(512 + 8 + 3 * 64) / 8] == 512 + 8);
  REQUIRE(submission.rings(0).empty());
  const std::vector<std::uint64_t> slots{std::uint64_t{(512 + 8) / 8} << 32U | 7, 0};
  REQUIRE(submission.result(program, submission.entries().front(), slots).traces[0].node ==
          std::vector<std::uint32_t>{3});
}

TEST_CASE("every CTA of a program gets the rings that it writes to its shared memory") {
  auto program = varied();
  program.arrays[1].space = chase::Space::shared;
  program.actors[1].path = chase::Path::shared;
  program.phases = {{1, 2, 0, 3, chase::Timing::total}};
  cuda::Shuffles shuffles;
  cuda::Submission submission(sms);
  submission.begin_wave({});
  const Memory first;
  submission.add(program, {0, {0, 2}}, {first.place(), {}}, shuffles);
  for (const std::size_t sm : {0U, 2U}) {
    REQUIRE(submission.parts()[sm].rings == 1);
    REQUIRE(submission.parts()[sm].first_ring == 0);
    REQUIRE(submission.parts()[sm].shared_bytes == 16384);
  }
  REQUIRE(submission.shared_rings(0).front().count == 3);
  REQUIRE(submission.rings(0).size() == 2);
}
