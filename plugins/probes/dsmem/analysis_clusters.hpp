#ifndef TOMOGRAPH_DSMEM_ANALYSIS_CLUSTERS_HPP
#define TOMOGRAPH_DSMEM_ANALYSIS_CLUSTERS_HPP

#include <cstdint>
#include <span>

#include "experiments.hpp"

namespace tomograph::dsmem {

/// The largest size of a launched cluster in which every CTA read that size; 0 if only single CTAs ran. `answers` has
/// one entry per size, from `first_size` on.
[[nodiscard]] std::int64_t largest_cluster(std::int64_t first_size, std::span<const ClustersAnswer> answers);

}  // namespace tomograph::dsmem

#endif
