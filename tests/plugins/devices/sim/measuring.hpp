#ifndef TOMOGRAPH_TESTS_SIM_MEASURING_HPP
#define TOMOGRAPH_TESTS_SIM_MEASURING_HPP

#include <stdexcept>
#include <string>
#include <vector>

#include "sim/simulator.hpp"

/// GPUs and programs for the tests of the simulator.
namespace tomograph::sim {

constexpr std::int64_t l1_cycles = 30;
constexpr std::int64_t l2_cycles = 200;
constexpr std::int64_t dram_cycles = 400;

constexpr Options quiet{1, false};

/// A cache whose sectors are its lines; sets are selected by the remainder.
inline Cache classical_cache(std::int64_t line_size, std::vector<std::int64_t> set_ways) {
  Cache cache;
  cache.line_size = cache.sector_size = cache.fetch_granularity = line_size;
  cache.set_ways = std::move(set_ways);
  return cache;
}

/// Virtually tagged, one per SM, its misses going to the L2.
inline PrivateCache private_cache(std::string name, const Cache& cache, std::vector<chase::Path> paths,
                                  std::int64_t latency = l1_cycles) {
  PrivateCache made;
  made.name = std::move(name);
  made.cache = cache;
  made.latency = latency;
  made.paths = std::move(paths);
  return made;
}

/// A quiet GPU of four SMs with this L1, and an L2 of one partition that holds far more than any test touches.
inline Gpu gpu_with_l1(const Cache& cache) {
  Gpu gpu;
  gpu.name = "test";
  gpu.sm_count = 4;
  gpu.caches.push_back(private_cache("l1", cache, {chase::Path::global_ca}));
  gpu.l2.cache = classical_cache(128, std::vector<std::int64_t>(1024, 16));
  gpu.l2.latency = gpu.l2.far_latency = l2_cycles;
  gpu.dram = {dram_cycles, dram_cycles, std::nullopt};
  return gpu;
}

/// One actor that follows `ring` in one array, each load timed.
inline chase::Program timed_chase(const chase::Ring& ring, std::int64_t loads) {
  chase::Program program;
  program.arrays = {{chase::array_alignment * 4, chase::no_alias}};
  program.rings = {ring};
  program.actors = {{chase::any_sm, chase::Path::global_ca, 1}};
  program.phases = {{0, 0, 0, loads, chase::Timing::each}};
  return program;
}

inline chase::Ring stride_ring(std::int64_t stride, std::int64_t count) {
  return {0, 0, stride, count, chase::Order::sequential, 0, {}};
}
inline chase::Ring node_ring(std::vector<std::int64_t> nodes) {
  return {0, 0, 0, 0, chase::Order::sequential, 0, std::move(nodes)};
}

inline Answer answer(const Gpu& gpu, const chase::Program& program, const Options& options = {}) {
  const std::vector batch{chase::encode(program)};
  return Simulator(gpu, options, 1).execute(batch).front();
}

/// @throws std::runtime_error with the reason of a refusal.
inline chase::Result run(const Gpu& gpu, const chase::Program& program, const Options& options = {}) {
  const Answer given = answer(gpu, program, options);
  if (given.status != TOMOGRAPH_OK) throw std::runtime_error(given.reason);
  return chase::decode_result(program, given);
}

/// The trace of a phase as text, one letter per load: '.' hit in L1, '2' served by L2, 'D' by DRAM, '?' else.
inline std::string pattern(const chase::Result& result, std::size_t trace = 0) {
  std::string text;
  for (const std::uint32_t latency : result.traces.at(trace).latency) {
    text += latency == l1_cycles ? '.' : latency == l2_cycles ? '2' : latency == dram_cycles ? 'D' : '?';
  }
  return text;
}

}  // namespace tomograph::sim

#endif
