#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/gpu/reader.hpp"
#include "sim/simulator.hpp"
#include "tomograph/chase.hpp"
#include "tomograph/divergence.hpp"
#include "tomograph/shared_access.hpp"
#include "tomograph/streaming.hpp"

namespace {

namespace chase = tomograph::chase;
namespace sim = tomograph::sim;

/// A chase on every path, and one of each other experiment, small enough for hundreds a second.
std::vector<tomograph::Experiment> experiments() {
  using chase::Path;
  std::vector<tomograph::Experiment> batch;
  for (const Path path : {Path::global_ca, Path::global_cg, Path::global_nc, Path::texture, Path::texture_2d,
                          Path::constant, Path::shared, Path::instruction}) {
    const std::int64_t width = path == Path::texture_2d ? 1024 : 0;
    batch.push_back(chase::encode({.arrays = {{.bytes = 16384, .space = chase::space_of(path), .width = width}},
                                   .rings = {{.stride = 128, .count = 64}},
                                   .actors = {{.path = path}},
                                   .phases = {{.loads = 100}, {.loads = 30, .timing = chase::Timing::each}}}));
  }
  batch.push_back(tomograph::shared_access::encode(
      {.offsets = tomograph::shared_access::strided(32, 8), .accesses = 64, .warps = 2, .bytes = 1024}));
  batch.push_back(tomograph::streaming::encode({.bytes = 1 << 20}));
  for (const auto type : tomograph::instruction::types) {
    batch.push_back(tomograph::instruction::encode({.type = type, .ilp = 2, .warps = 4}));
  }
  batch.push_back(tomograph::divergence::encode({.width = 2, .warps = 4}));
  return batch;
}

/// Whether one can be built and used in milliseconds.
bool is_small(const sim::Gpu& gpu) {
  constexpr std::int64_t most_lines = 1 << 16;
  std::int64_t lines = gpu.l2.cache.lines() * gpu.l2.partitions;
  for (const sim::PrivateCache& cache : gpu.caches) {
    lines += cache.carveouts ? cache.carveouts->sram / cache.cache.line_size : cache.cache.lines();
  }
  for (const sim::Tlb& level : gpu.translation.tlb) lines += level.entries.lines();
  return lines <= most_lines && gpu.sm_count <= 256;
}

}  // namespace

/// Whatever a description says, it is a GPU or refused; and what is a GPU answers every experiment, if only by
/// refusing.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::vector<tomograph::Experiment> batch = experiments();
  try {
    const sim::Gpu gpu = sim::parse_gpu({reinterpret_cast<const char*>(data), size}, "gpu.toml");
    if (is_small(gpu)) static_cast<void>(sim::Simulator(gpu, {}, 1).execute(batch));
  } catch (const sim::DescriptionError&) {
    return 0;
  }
  return 0;
}
