#include "cuda/chase/schedule.hpp"

#include <set>

#include "catch.hpp"
#include "cuda/chase/kernels.hpp"
#include "cuda/chase/program_layout.hpp"

using namespace tomograph;
using Catch::Matchers::ContainsSubstring;

namespace {

const cuda::Limits four_sms{.sms = 4,
                            .wave_memory = std::int64_t{64} << 20,
                            .shared_per_sm = 233472,
                            .shared_per_block = 232448,
                            .shared_reserved = 1024,
                            .shared_static = 32,
                            .texels = 1 << 27,
                            .texture_width = 4096,
                            .texture_height = 2048};

chase::Program walk(std::int64_t loads = 16, std::int64_t sm = chase::any_sm) {
  chase::Program program;
  program.arrays = {{4096}};
  program.rings = {{0, 0, 128, 32, chase::Order::sequential, 0, {}}};
  program.actors = {{sm}};
  program.phases = {{0, 0, 0, loads, chase::Timing::each}};
  return program;
}

std::vector<cuda::WavePlan> schedule(const std::vector<chase::Program>& programs) {
  std::vector<cuda::Demand> demands;
  for (const auto& program : programs) demands.push_back(cuda::demand(program, four_sms));
  return cuda::schedule(demands, four_sms);
}

/// Every program is placed once, and within a wave no SM serves two.
void require_sound(const std::vector<cuda::WavePlan>& waves, std::size_t programs) {
  std::set<std::size_t> placed;
  for (const auto& wave : waves) {
    std::set<std::int64_t> taken;
    for (const auto& placement : wave.placements) {
      REQUIRE(placed.insert(placement.program).second);
      for (const std::int64_t sm : placement.sms) {
        REQUIRE(sm >= 0);
        REQUIRE(sm < four_sms.sms);
        REQUIRE(taken.insert(sm).second);
      }
    }
  }
  REQUIRE(placed.size() == programs);
}

}  // namespace

TEST_CASE("programs that run anywhere fill the SMs of one launch before another begins") {
  const auto waves = schedule({10, walk()});
  require_sound(waves, 10);
  REQUIRE(waves.size() == 3);
  REQUIRE(waves[0].placements.size() == 4);
  REQUIRE(waves[2].placements.size() == 2);
}

TEST_CASE("the schedule of a batch is the same every time") {
  const auto first = schedule({10, walk()});
  const auto second = schedule({10, walk()});
  for (std::size_t wave = 0; wave < first.size(); ++wave) {
    for (std::size_t i = 0; i < first[wave].placements.size(); ++i) {
      REQUIRE(first[wave].placements[i].sms == second[wave].placements[i].sms);
    }
  }
}

TEST_CASE("a program that asks to be alone has its own launch") {
  auto alone = walk();
  alone.alone = true;
  const auto waves = schedule({walk(), alone, walk()});
  require_sound(waves, 3);
  REQUIRE(waves.size() == 2);
  for (const auto& wave : waves) REQUIRE((wave.placements.size() == 1) == (wave.placements.front().program == 1));
}

TEST_CASE("programs for the same SM run one after the other and leave the other SMs to the rest") {
  const auto waves = schedule({walk(16, 2), walk(16, 2), walk(), walk(), walk()});
  require_sound(waves, 5);
  REQUIRE(waves.size() == 2);
  REQUIRE(waves[0].placements.size() == 4);
  REQUIRE(waves[0].placements[0].sms == std::vector<std::int64_t>{2});
}

TEST_CASE("actors on different SMs take one SM each, those on any SM share one") {
  auto program = walk(16, 3);
  program.actors = {{3}, {chase::any_sm}, {0}, {chase::any_sm}};
  const auto waves = schedule({program, walk()});
  require_sound(waves, 2);
  REQUIRE(waves.size() == 1);
  REQUIRE(waves[0].placements[0].sms == std::vector<std::int64_t>{3, 1, 0});
  REQUIRE(waves[0].placements[1].sms == std::vector<std::int64_t>{2});
}

TEST_CASE("programs with different carve-outs or CTA sizes never share a launch") {
  auto carved = walk();
  carved.carveout = 65536;
  auto wide = walk();
  wide.actors.push_back({chase::any_sm, chase::Path::global_ca, 1000});
  const auto waves = schedule({walk(), carved, wide});
  require_sound(waves, 3);
  REQUIRE(waves.size() == 3);
  REQUIRE(cuda::demand(wide, four_sms).threads == 1024);
}

TEST_CASE("a long trace takes no shared memory from programs with short ones") {
  REQUIRE(schedule({walk(16), walk(16000)}).size() == 2);
  REQUIRE(schedule({walk(16), walk(100)}).size() == 1);
  const auto demand = cuda::demand(walk(16), four_sms);
  REQUIRE(demand.dynamic_shared + four_sms.shared_static + four_sms.shared_reserved == 2048);
}

TEST_CASE("the longest trace that fits into shared memory is accepted, one load more is not") {
  const std::int64_t most = (four_sms.shared_per_block - four_sms.shared_static) / cuda::slot_bytes;
  REQUIRE_FALSE(cuda::impossibility(walk(most), four_sms));
  REQUIRE(cuda::demand(walk(most), four_sms).dynamic_shared >= most * cuda::slot_bytes);
  REQUIRE(cuda::demand(walk(most), four_sms).dynamic_shared + four_sms.shared_static <= four_sms.shared_per_block);
  REQUIRE_THAT(cuda::impossibility(walk(most + 1), four_sms).value(), ContainsSubstring(std::to_string(most)));
}

TEST_CASE("programs whose arrays do not fit together run one after the other") {
  auto large = walk();
  large.arrays = {{std::int64_t{33} << 20}};
  REQUIRE(schedule({large, large}).size() == 2);
  REQUIRE(schedule({large, walk()}).size() == 1);
}

TEST_CASE("a program larger than the memory meant for a launch still gets one, by itself") {
  auto huge = walk();
  huge.arrays = {{std::int64_t{1} << 30}};
  const auto waves = schedule({walk(), huge, walk()});
  require_sound(waves, 3);
  REQUIRE(waves.size() == 2);
}

TEST_CASE("an SM that the device lacks and a carve-out beyond its shared memory are named") {
  REQUIRE_THAT(cuda::impossibility(walk(16, 4), four_sms).value(), ContainsSubstring("SM 4"));
  auto program = walk();
  program.carveout = four_sms.shared_per_sm + 1;
  REQUIRE_THAT(cuda::impossibility(program, four_sms).value(), ContainsSubstring("233472"));
}

namespace {

chase::Program constant_walk(std::int64_t bytes, std::int64_t stride) {
  auto program = walk();
  program.arrays = {{bytes, chase::no_alias, chase::Space::constant}};
  program.rings.front().stride = stride;
  program.actors.front().path = chase::Path::constant;
  return program;
}

}  // namespace

TEST_CASE("programs share a launch only if constant memory can hold the same for both") {
  const auto one = constant_walk(8192, 64);
  const auto other = constant_walk(8192, 128);
  REQUIRE(schedule({one, one, walk()}).size() == 1);
  REQUIRE(schedule({one, other}).size() == 2);
  const auto waves = schedule({one, other, one, walk(), other});
  require_sound(waves, 5);
  REQUIRE(waves.size() == 2);
}

TEST_CASE("arrays in constant memory, shared memory and textures that are too large are named with both sizes") {
  REQUIRE_FALSE(cuda::shortage(constant_walk(std::int64_t{cuda::constant_bytes}, 64), four_sms));
  REQUIRE_THAT(cuda::shortage(constant_walk(std::int64_t{cuda::constant_bytes} + 8, 64), four_sms).value(),
               ContainsSubstring(std::to_string(std::int64_t{cuda::constant_bytes})));

  auto shared = walk();
  shared.actors.front().path = chase::Path::shared;
  shared.arrays = {{four_sms.shared_per_block - 1024, chase::no_alias, chase::Space::shared}};
  REQUIRE_FALSE(cuda::shortage(shared, four_sms));
  shared.arrays.front().bytes = four_sms.shared_per_block;
  REQUIRE_THAT(cuda::shortage(shared, four_sms).value(), ContainsSubstring("shared memory"));

  auto texture = walk();
  texture.actors.front().path = chase::Path::texture;
  REQUIRE_FALSE(cuda::shortage(texture, four_sms));
  texture.arrays = {{std::int64_t{2} << 30}};
  REQUIRE_THAT(cuda::shortage(texture, four_sms).value(), ContainsSubstring("1073741824 B"));

  auto array_texture = walk();
  array_texture.actors.front().path = chase::Path::texture_2d;
  array_texture.arrays = {{8192 * 8, chase::no_alias, chase::Space::texture, 8192 * 8}};
  REQUIRE_THAT(cuda::shortage(array_texture, four_sms).value(), ContainsSubstring("8192 x 1"));
}

TEST_CASE("arrays in constant memory beyond one bank each get a CTA for their bank, on one SM") {
  auto program = constant_walk(40'000, 64);
  program.arrays.resize(3, program.arrays.front());
  program.rings.push_back({2, 0, 64, 8, chase::Order::sequential, 0, {}});
  program.phases.push_back({0, 1, 0, 8, chase::Timing::each});
  REQUIRE(cuda::banks(program) == 3);
  REQUIRE(cuda::parts(program) == 3);
  REQUIRE(cuda::parts_of_phases(program)[1] == 2);
  REQUIRE(cuda::slots(program) == std::vector<std::int64_t>{16, 0, 8});
  REQUIRE(cuda::demand(program, four_sms).sms.size() == 1);
  REQUIRE_FALSE(cuda::shortage(program, four_sms));
  REQUIRE(schedule({program, constant_walk(40'000, 64)}).size() == 2);

  auto too_many = program;
  too_many.arrays.resize(cuda::constant_banks + 1, program.arrays.front());
  REQUIRE_THAT(cuda::shortage(too_many, four_sms).value(), ContainsSubstring("5 banks"));
  auto elsewhere = program;
  elsewhere.actors.push_back({2});
  REQUIRE_THAT(cuda::shortage(elsewhere, four_sms).value(), ContainsSubstring("one SM"));
}

TEST_CASE("arrays in shared memory reduce the room for times by their size") {
  auto program = walk(16);
  program.arrays = {{100'000, chase::no_alias, chase::Space::shared}};
  program.actors.front().path = chase::Path::shared;
  REQUIRE(cuda::demand(program, four_sms).dynamic_shared >= 100'000 + 16 * cuda::slot_bytes);
  REQUIRE_FALSE(cuda::impossibility(program, four_sms));
  program.phases.front().loads = 20'000;
  REQUIRE_THAT(cuda::impossibility(program, four_sms).value(), ContainsSubstring("20000"));
}

TEST_CASE("a program that names a warp runs in the largest CTA, its workers in the warps that no actor names") {
  auto program = walk();
  program.actors.front().warp = 5;
  program.actors.push_back({chase::any_sm, chase::Path::global_ca, 1024});
  REQUIRE(cuda::demand(program, four_sms).threads == 1024);
  REQUIRE(cuda::timed_warps(program) == 0b100001);
  REQUIRE(cuda::physical_threads(program.actors[1], cuda::timed_warps(program)) == 30 * 32);
}

TEST_CASE("blocks of code that the driver has compiled for another GPU are no instruction memory") {
  auto program = walk();
  program.arrays = {{4096, chase::no_alias, chase::Space::instruction}};
  program.rings = {{0, 0, 128, 32, chase::Order::sequential, 0, {}}};
  program.actors.front().path = chase::Path::instruction;
  REQUIRE_FALSE(cuda::shortage(program, four_sms));
  auto jit_compiled = four_sms;
  jit_compiled.jit_compiled = true;
  REQUIRE_THAT(cuda::shortage(program, jit_compiled).value(), ContainsSubstring("built for this GPU"));
  REQUIRE_FALSE(cuda::shortage(walk(), jit_compiled));
}
