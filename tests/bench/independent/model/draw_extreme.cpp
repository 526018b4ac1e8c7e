#include "draw_extreme.hpp"

#include <algorithm>
#include <cmath>

namespace independent {

namespace {

constexpr double least_penalty = 4;  ///< of a TLB, cycles: fewer are lost among those of a clock's step

/// Whole cycles, so that every load still takes some.
void scale_latency(double& cycles, double by) { cycles = std::max(1.0, std::round(cycles * by)); }

void scale_caches(Gpu& gpu, double by) {
  for (double& latency : gpu.path_latency) scale_latency(latency, by);
  const double least = *std::min_element(gpu.path_latency.begin(), gpu.path_latency.end());
  for (FirstLevel& first : gpu.first_levels) first.bypass = std::min(std::round(first.bypass * by), least);
  scale_latency(gpu.shared_latency, by);
  scale_latency(gpu.constants.l1_latency, by);
  scale_latency(gpu.constants.l15_latency, by);
  gpu.constants.bypass = std::min(std::round(gpu.constants.bypass * by), gpu.constants.l1_latency);
  for (std::vector<float>& of_sm : gpu.l2.latency) {
    for (float& cycles : of_sm) cycles *= static_cast<float>(by);
  }
  gpu.l2.far_extra = std::round(gpu.l2.far_extra * by);
}

void scale_memory(Gpu& gpu, double by) {
  MemoryDescription& memory = gpu.memory;
  scale_latency(memory.extra, by);
  for (double* cycles : {&memory.far_extra, &memory.row_extra, &memory.refresh_extra}) *cycles *= by;
  for (TlbDescription& tlb : gpu.translation.tlbs) tlb.penalty = std::max(least_penalty, std::round(tlb.penalty * by));
  gpu.translation.window_penalty *= by;
  gpu.translation.walk_cache_penalty *= by;
}

void scale_noise(Gpu& gpu, double by) {
  for (double* deviation : {&gpu.noise.first_level, &gpu.noise.l2, &gpu.memory.deviation}) *deviation *= by;
}

/// No coarser than half of what the fastest load takes.
int draw_clock_step(Random& random, const Gpu& gpu) {
  const double fastest = std::min({gpu.path_latency[data_path], gpu.constants.l1_latency, gpu.shared_latency});
  int step = random.pick({1, 1, 2, 8, 16});
  while (step > 1 && 2 * step > fastest) step /= 2;
  return step;
}

}  // namespace

void make_extreme(Random& random, Gpu& gpu) {
  const double speed = random.pick({0.125, 0.25, 1.0, 2.0, 4.0});
  scale_caches(gpu, speed);
  scale_memory(gpu, speed);
  scale_noise(gpu, speed * random.pick({0.0, 0.25, 1.0, 4.0}));
  gpu.noise.clock_step = draw_clock_step(random, gpu);
  gpu.noise.late_share = random.pick({0.0, 1e-5, 1e-4, 1e-3});
}

}  // namespace independent
