#ifndef TOMOGRAPH_TESTS_SIMULATED_CACHE_HPP
#define TOMOGRAPH_TESTS_SIMULATED_CACHE_HPP

#include <memory>
#include <stdexcept>

#include "sim/simulator.hpp"
#include "tomograph/cache/hit_and_miss.hpp"
#include "tomograph/cache/sets.hpp"

namespace tomograph::testing {

/// A quiet GPU with an L1 of 8 KiB: 16 sets of 4 ways, hashed.
inline sim::Gpu small_gpu() {
  sim::Gpu gpu;
  gpu.sm_count = 2;
  gpu.caches.emplace_back().name = "l1";
  gpu.caches[0].latency = 30;
  gpu.caches[0].paths = {chase::Path::global_ca};
  gpu.caches[0].cache.set_ways.assign(16, 4);
  gpu.caches[0].cache.index = {sim::Index::Kind::hashed, {}, {0x10080, 0x8100, 0x4200, 0x2400}};
  gpu.l2.latency = 200;
  gpu.l2.cache.set_ways.assign(256, 16);
  gpu.dram = {500, 500, std::nullopt};
  return gpu;
}

/// How the sets of its L1 are sought.
inline constexpr cache::SetSearch search{.line_bytes = 128, .capacity_lines = 64, .budget = 10'000'000};

inline cache::Executor executor_of(const sim::Gpu& gpu) {
  auto simulator = std::make_shared<sim::Simulator>(gpu, sim::Options{}, 1U);
  return [simulator](std::span<const chase::Program> programs) {
    std::vector<Experiment> batch;
    for (const auto& program : programs) batch.push_back(chase::encode(program));
    const auto answers = simulator->execute(batch);
    std::vector<chase::Result> results;
    for (std::size_t i = 0; i < answers.size(); ++i) results.push_back(chase::decode_result(programs[i], answers[i]));
    return results;
  };
}

/// Its L1 as probes know it.
inline cache::Subject l1_subject(const cache::Executor& execute) {
  cache::Subject subject;
  const auto seen = cache::private_hit_and_miss(execute, subject, chase::Path::global_cg, 2);
  if (!seen.threshold) throw std::logic_error("hits and misses look alike");
  subject.threshold = *seen.threshold;
  return subject;
}

}  // namespace tomograph::testing

#endif
