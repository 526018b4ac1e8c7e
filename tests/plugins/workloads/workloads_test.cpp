#include <algorithm>
#include <set>

#include "bodies/workload.hpp"
#include "catch.hpp"

using namespace tomograph;

TEST_CASE("there are eight regular workloads and seven divergent ones, each with a name of its own") {
  const auto& all = workloads::all_workloads();
  CHECK(all.size() == 15);
  CHECK(std::ranges::count_if(all, [](const auto& one) { return one->is_divergent(); }) == 7);
  std::set<std::string_view> names;
  for (const auto& one : all) names.insert(one->name());
  CHECK(names.size() == 15);
}

// Takes minutes under sanitizers, which see the same bodies in the traces below.
#ifndef TOMOGRAPH_SANITIZES_ADDRESSES
TEST_CASE("every workload computes what its reference computes") {
  for (const auto& one : workloads::all_workloads()) {
    INFO(one->name());
    auto memory = one->memory();
    CHECK(one->wrong(memory) > 0);
    one->execute(memory);
    CHECK(one->wrong(memory) == 0);
  }
}
#endif

TEST_CASE("a trace gives the same warp twice, with dependences on earlier instructions and accesses in the footprint") {
  for (const auto& one : workloads::all_workloads()) {
    INFO(one->name());
    const auto trace = one->trace();
    const auto& launch = trace->launch();
    const auto warp = trace->warp(launch.ctas - 1, launch.warps_per_cta - 1);
    CHECK(warp.sectors == trace->warp(launch.ctas - 1, launch.warps_per_cta - 1).sectors);
    bool is_sound = !warp.instructions.empty();
    for (std::size_t i = 0; i < warp.instructions.size(); ++i) {
      const auto& instruction = warp.instructions[i];
      is_sound = is_sound && instruction.lanes >= 1 && instruction.lanes <= 32;
      for (const std::int32_t need : instruction.needs) is_sound = is_sound && need < static_cast<std::int32_t>(i);
    }
    CHECK(is_sound);
    CHECK(*std::ranges::max_element(warp.sectors) < launch.footprint / kernel::sector_bytes);
  }
}

TEST_CASE("loads of divergent workloads touch more lines than loads of regular ones") {
  double most_regular = 0;
  double least_divergent = 32;
  for (const auto& one : workloads::all_workloads()) {
    const auto character = workloads::character_of(*one->trace(), 64);
    UNSCOPED_INFO(one->name() << ": " << character.lines_per_load << " lines and " << character.sectors_per_load
                              << " sectors a load, reuse " << character.reuse << ", " << character.active_lanes
                              << " lanes, " << character.instructions << " instructions a warp");
    if (one->is_divergent()) {
      least_divergent = std::min(least_divergent, character.lines_per_load);
    } else if (one->name() != "b+tree") {  // the letter counts it as regular for its reuse in the upper levels
      most_regular = std::max(most_regular, character.lines_per_load);
    }
  }
  CHECK(least_divergent > 2 * most_regular);
}
