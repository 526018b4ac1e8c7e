#ifndef TOMOGRAPH_BENCH_ACCURACY_RANDOM_GPU_HPP
#define TOMOGRAPH_BENCH_ACCURACY_RANDOM_GPU_HPP

#include <cstdint>
#include <string>

#include "sim/gpu/description.hpp"

namespace tomograph::bench {

enum class Level { l1, l2 };

/// A simulated GPU of which one cache was drawn at random.
struct Case {
  std::uint64_t number = 0;  ///< seeds everything about it
  Level level = Level::l1;
  sim::Gpu gpu;

  [[nodiscard]] const sim::Cache& cache() const { return level == Level::l1 ? gpu.l1->cache : gpu.l2.cache; }
};

/// Case `number`: the same one wherever it is drawn. Even numbers vary L1, odd ones L2.
[[nodiscard]] Case random_case(std::uint64_t number);

/// The geometry in one line.
[[nodiscard]] std::string describe(const Case& drawn);

[[nodiscard]] const char* name(sim::Replacement::Policy policy);

}  // namespace tomograph::bench

#endif
