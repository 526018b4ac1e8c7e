#ifndef TOMOGRAPH_SIM_GPU_DESCRIPTION_HPP
#define TOMOGRAPH_SIM_GPU_DESCRIPTION_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/gpu/bandwidth.hpp"
#include "sim/gpu/conditions.hpp"
#include "sim/gpu/instructions.hpp"
#include "sim/gpu/l2.hpp"
#include "sim/gpu/load_paths.hpp"
#include "sim/gpu/measurement.hpp"
#include "sim/gpu/memory.hpp"
#include "sim/gpu/node.hpp"
#include "sim/gpu/private_cache.hpp"
#include "sim/gpu/shared_memory.hpp"
#include "sim/gpu/timing.hpp"
#include "sim/gpu/translation.hpp"
#include "tomograph/value.hpp"

/// A simulated GPU. schemas/simulated-gpu.schema.json defines every field under the same name.
namespace tomograph::sim {

/// A fact as the vendor's interface would report it.
struct ApiFact {
  std::string key;
  Value value;
};

struct Gpu {
  std::string name;
  std::int64_t sm_count = 1;
  std::int64_t sm_clock_mhz = 1000;
  std::vector<ApiFact> api;
  LoadPaths load_paths;
  std::vector<PrivateCache> caches;
  L2 l2;
  Dram dram;
  ConstantMemory constant_memory;
  TextureMemory texture_memory;
  Translation translation;
  std::optional<SharedMemory> shared_memory;
  std::optional<Instructions> instructions;
  std::optional<Divergence> divergence;
  std::optional<Bandwidth> bandwidth;
  std::optional<Timing> timing;
  std::optional<HostLink> host;
  Node node;
  Noise noise;
  MeasuringKernel instrument;
  std::vector<Conditions> conditions;  ///< in the order of time

  /// The cache of this name, null if there is none.
  [[nodiscard]] const PrivateCache* find_cache(const std::string& cache_name) const;
  [[nodiscard]] PrivateCache* find_cache(const std::string& cache_name);
  /// The cache that loads on `path` look into first, null if they go to the L2.
  [[nodiscard]] const PrivateCache* serving(chase::Path path) const;
  [[nodiscard]] PrivateCache* serving(chase::Path path);
};

/// The first broken rule of geometry: values of `gpu` that contradict each other. Types and ranges are the schema's
/// concern, and assumed to be right.
[[nodiscard]] Broken violation(const Gpu& gpu);

}  // namespace tomograph::sim

#endif
