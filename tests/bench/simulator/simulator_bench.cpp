// Measures the simulator: million loads per second of processor time on one core, including the set-up of programs. The
// target is 30 for each kind of load on the simulated H200. With --once each case is one program, for a profiler that
// counts instructions.
#include <CLI/CLI.hpp>
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

double loads(const Case& given) { return static_cast<double>(given.warm_loads + given.timed_loads); }

/// Measured after a first program, which allocates the memory that the simulator reuses.
double million_loads_per_second(sim::Simulator& simulator, const Case& given) {
  const std::vector<Experiment> batch{chase::encode(program(given))};
  execute(simulator, batch);
  const std::clock_t start = std::clock();
  double done = 0;
  double seconds = 0;
  while (seconds < 0.5) {
    execute(simulator, batch);
    done += loads(given);
    seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  }
  return done / seconds / 1e6;
}

struct Options {
  std::string only;
  bool once = false;
};

void run(const Options& options) {
  constexpr auto ca = chase::Path::global_ca;
  constexpr auto cg = chase::Path::global_cg;
  const std::vector<Case> cases{
      {"L1 hits", ca, 128, 1024, 1 << 20, 0},
      {"L1 hits, timed each", ca, 128, 1024, 1024, 1 << 20},
      {"L1 sweep, 3 rounds", ca, 128, 1900, 3 * 1900, 1900},
      {"L1 thrashing", ca, 32, 16384, 1 << 20, 1 << 18},
      {"L2 hits, 16 MiB", cg, 128, 131072, 8 * 131072, 131072},
      {"L2 hits and far hits, 40 MiB", cg, 128, 327680, 8 * 327680, 327680},
      {"TLB misses, a page of 2 MiB each", cg, 2 << 20, 512, 1 << 20, 1 << 18},
      {"TLB misses, 32 MiB each", cg, 32 << 20, 4096, 1 << 20, 1 << 18},
      {"DRAM, a million lines", cg, 128, 1 << 20, 8 << 20, 1 << 20},
      {"DRAM, a million lines, 2 rounds", cg, 128, 1 << 20, 1 << 20, 1 << 20},
  };
  for (const std::string gpu : {"h200", "small"}) {
    const sim::Gpu described = sim::read_gpu(TOMOGRAPH_GPUS "/" + gpu + ".toml");
    sim::Simulator simulator(described, {}, 1);
    for (const Case& given : cases) {
      if (given.nodes * given.stride > described.dram.size || (gpu == "small" && given.nodes > 131072)) continue;
      if (std::string_view(given.name).find(options.only) == std::string_view::npos) continue;
      if (options.once) {
        execute(simulator, {chase::encode(program(given))});
        std::printf("%-6s %-32s %8.1f million loads\n", gpu.c_str(), given.name, loads(given) / 1e6);
      } else {
        const double speed = million_loads_per_second(simulator, given);
        std::printf("%-6s %-32s %8.1f million loads/s\n", gpu.c_str(), given.name, speed);
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Million simulated loads per second of processor time on one core, set-up included");
  app.add_option("CASE", options.only, "Only cases whose names contain this");
  app.add_flag("--once", options.once, "One program of each case, for a profiler that counts instructions");
  CLI11_PARSE(app, argc, argv);
  try {
    run(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench-simulator: %s\n", error.what());
    return 1;
  }
  return 0;
}
