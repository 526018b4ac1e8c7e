#include "sim/gpu/description.hpp"

#include <algorithm>
#include <utility>

namespace tomograph::sim {

namespace {

Broken lacking_violation(const Gpu& gpu) {
  for (const chase::Path path : gpu.load_paths.lacks) {
    const PrivateCache* cache = gpu.serving(path);
    if (cache == nullptr) continue;
    return Violation{"lacks", "names " + name_of(path) + ", but cache." + cache->name + " serves it"};
  }
  return std::nullopt;
}

/// A level answers no sooner than those that look for the line before it.
Broken outward_violation(const Gpu& gpu) {
  for (const PrivateCache& cache : gpu.caches) {
    const std::string key = "cache." + cache.name + ".latency";
    const PrivateCache* next = gpu.find_cache(cache.next);
    const std::string next_key = next == nullptr ? "l2.latency" : "cache." + next->name + ".latency";
    const std::int64_t limit = next == nullptr ? gpu.l2.latency : next->latency;
    if (auto broken = at_most(key, cache.latency, next_key, limit)) return broken;
  }
  return at_least("dram.latency", gpu.dram.latency, "l2.latency", gpu.l2.latency);
}

/// The same of what other partitions serve, if there are any.
Broken far_violation(const Gpu& gpu) {
  if (gpu.l2.partitions == 1) return std::nullopt;
  if (auto broken = at_least("l2.far_latency", gpu.l2.far_latency, "l2.latency", gpu.l2.latency)) return broken;
  if (auto broken = at_least("dram.far_latency", gpu.dram.far_latency, "dram.latency", gpu.dram.latency)) return broken;
  const bool is_stated = gpu.dram.far_latency != gpu.dram.latency;
  const std::string far_key = is_stated ? "dram.far_latency" : "dram.latency";
  return at_least(far_key, gpu.dram.far_latency, "l2.far_latency", gpu.l2.far_latency);
}

Broken memory_violation(const Gpu& gpu) {
  if (gpu.dram.size) {
    if (auto broken = at_least("dram.size", *gpu.dram.size, "page_size", gpu.translation.page_size)) return broken;
  }
  if (gpu.dram.channel) {
    const std::int64_t miss = gpu.dram.latency - gpu.l2.latency;
    if (auto broken = violation(*gpu.dram.channel, miss)) return broken;
  }
  return violation(gpu.constant_memory);
}

/// Shared memory and the measuring kernel must fit in the largest carve-out.
Broken carveout_violation(const Gpu& gpu) {
  for (const PrivateCache& cache : gpu.caches) {
    if (!cache.carveouts) continue;
    const std::int64_t largest = cache.carveouts->shared_memory.back();
    if (gpu.instrument.kernel_shared > largest) {
      return Violation{"instrument.kernel_shared", "is larger than every carve-out"};
    }
    if (gpu.shared_memory && gpu.shared_memory->size_per_sm > largest) {
      return Violation{"shared_memory.size_per_sm", "is " + text(gpu.shared_memory->size_per_sm) + ", more than the " +
                                                        text(largest) + " B of the largest carve-out of cache." +
                                                        cache.name};
    }
  }
  return std::nullopt;
}

}  // namespace

const PrivateCache* Gpu::find_cache(const std::string& cache_name) const {
  const auto found = std::ranges::find(caches, cache_name, &PrivateCache::name);
  return found == caches.end() ? nullptr : &*found;
}

PrivateCache* Gpu::find_cache(const std::string& cache_name) {
  return const_cast<PrivateCache*>(std::as_const(*this).find_cache(cache_name));
}

const PrivateCache* Gpu::serving(chase::Path path) const {
  const auto found = std::ranges::find_if(
      caches, [&](const PrivateCache& cache) { return std::ranges::find(cache.paths, path) != cache.paths.end(); });
  return found == caches.end() ? nullptr : &*found;
}

PrivateCache* Gpu::serving(chase::Path path) { return const_cast<PrivateCache*>(std::as_const(*this).serving(path)); }

Broken violation(const Gpu& gpu) {
  if (auto broken = violation(gpu.load_paths)) return broken;
  if (auto broken = violation(gpu.caches, gpu.sm_count)) return broken;
  if (auto broken = violation(gpu.l2, gpu.sm_count)) return broken;
  if (auto broken = violation(gpu.translation, gpu.sm_count)) return broken;
  if (auto broken = violation(gpu.noise)) return broken;
  if (gpu.shared_memory) {
    if (auto broken = violation(*gpu.shared_memory)) return broken;
    if (auto broken = at_most("instrument.kernel_shared", gpu.instrument.kernel_shared, "shared_memory.size_per_block",
                              gpu.shared_memory->size_per_block)) {
      return broken;
    }
  }
  if (auto broken = violation(gpu.instructions, gpu.divergence)) return broken;
  if (gpu.bandwidth) {
    if (auto broken = violation(*gpu.bandwidth, gpu.sm_count)) return broken;
  }
  if (auto broken = violation(gpu.node)) return broken;
  if (auto broken = violation(gpu.conditions)) return broken;
  if (auto broken = outward_violation(gpu)) return broken;
  if (auto broken = far_violation(gpu)) return broken;
  if (auto broken = memory_violation(gpu)) return broken;
  if (auto broken = timing_violation(gpu)) return broken;
  if (auto broken = lacking_violation(gpu)) return broken;
  return carveout_violation(gpu);
}

}  // namespace tomograph::sim
