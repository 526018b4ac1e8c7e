// Speed of the simulator in million loads per second of processor time on one core, set-up of the programs included.
// See README.md.
#include <cstdio>
#include <ctime>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "sim/gpu/reader.hpp"
#include "sim/simulator.hpp"

namespace {

using namespace tomograph;

struct Case {
  const char* name;
  chase::Path path;
  std::int64_t stride;
  std::int64_t nodes;
  std::int64_t warm_loads;
  std::int64_t timed_loads;
};

chase::Program program(const Case& given) {
  chase::Program program;
  program.arrays = {{given.nodes * given.stride, chase::no_alias}};
  program.rings = {{0, 0, given.stride, given.nodes, chase::Order::shuffled, 7, {}}};
  program.actors = {{chase::any_sm, given.path, 1}};
  program.phases = {{0, 0, 0, given.warm_loads, chase::Timing::untimed}};
  if (given.timed_loads > 0) program.phases.push_back({0, 0, 0, given.timed_loads, chase::Timing::each});
  program.carveout = 0;
  return program;
}

void execute(sim::Simulator& simulator, const std::vector<Experiment>& batch) {
  const auto answers = simulator.execute(batch);
  if (answers.front().status != TOMOGRAPH_OK) throw std::runtime_error(answers.front().reason);
}

/// After a first program, which gets the memory that the simulator keeps.
double million_loads_per_second(sim::Simulator& simulator, const Case& given) {
  const std::vector<Experiment> batch{chase::encode(program(given))};
  execute(simulator, batch);
  const std::clock_t start = std::clock();
  double loads = 0;
  double seconds = 0;
  while (seconds < 0.5) {
    execute(simulator, batch);
    loads += static_cast<double>(given.warm_loads + given.timed_loads);
    seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  }
  return loads / seconds / 1e6;
}

void run(std::string_view only) {
  constexpr auto ca = chase::Path::global_ca;
  constexpr auto cg = chase::Path::global_cg;
  const std::vector<Case> cases{
      {"L1 hits", ca, 128, 1024, 1 << 20, 0},
      {"L1 hits, timed each", ca, 128, 1024, 1024, 1 << 20},
      {"L1 sweep, 3 rounds", ca, 128, 1900, 3 * 1900, 1900},
      {"L1 thrashing", ca, 32, 16384, 1 << 20, 1 << 18},
      {"L2 hits, 16 MiB", cg, 128, 131072, 8 * 131072, 131072},
      {"L2 hits and far hits, 40 MiB", cg, 128, 327680, 8 * 327680, 327680},
      {"DRAM, a million lines", cg, 128, 1 << 20, 8 << 20, 1 << 20},
      {"DRAM, a million lines, 2 rounds", cg, 128, 1 << 20, 1 << 20, 1 << 20},
  };
  for (const char* name : {"h200", "small"}) {
    sim::Simulator simulator(sim::read_gpu(std::string(TOMOGRAPH_GPUS "/") + name + ".toml"), {}, 1);
    for (const Case& given : cases) {
      if (std::string_view(name) == "small" && given.nodes > 131072) continue;
      if (std::string_view(given.name).find(only) == std::string_view::npos) continue;
      std::printf("%-6s %-32s %8.1f million loads/s\n", name, given.name, million_loads_per_second(simulator, given));
    }
  }
}

}  // namespace

/// With an argument only the cases whose names contain it.
int main(int count, char** arguments) {
  try {
    run(count > 1 ? arguments[1] : "");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
