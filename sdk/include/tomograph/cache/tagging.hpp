#ifndef TOMOGRAPH_CACHE_TAGGING_HPP
#define TOMOGRAPH_CACHE_TAGGING_HPP

#include "tomograph/cache/subject.hpp"

namespace tomograph::cache {

/// Loads of cached lines through a second mapping of the same memory.
struct Aliased {
  std::size_t loads = 0;
  std::size_t hits = 0;  ///< loads that hit at another address: tags are physical
  std::size_t control_loads = 0;
  std::size_t control_hits = 0;   ///< of the same lines through the first mapping
  std::vector<double> latencies;  ///< net, through the second mapping
};

/// Maps memory twice, loads a few lines through one mapping and times them through the other.
/// @throws what `execute` throws if the device cannot map memory twice.
[[nodiscard]] Aliased load_through_alias(const Executor& execute, const Subject& subject);

}  // namespace tomograph::cache

#endif
