#ifndef TOMOGRAPH_WORKLOADS_DATA_HPP
#define TOMOGRAPH_WORKLOADS_DATA_HPP

#include <cstddef>

#include "bodies/divergent.hpp"
#include "bodies/regular.hpp"

/// Inputs of the workloads, and results by plain loops over all elements, which share no code with the bodies. `fill`
/// writes the input to memory that is zero. `wrong` counts the elements of the result that differ from the reference.
namespace tomograph::workloads {

void fill(const Hotspot& workload, std::byte* memory);
void fill(const BPlusTree& workload, std::byte* memory);
void fill(const BackPropagation& workload, std::byte* memory);
void fill(const Fdtd3d& workload, std::byte* memory);
void fill(const Srad& workload, std::byte* memory);
void fill(const RayTracing& workload, std::byte* memory);
void fill(const Convolution2d& workload, std::byte* memory);
void fill(const Stencil3d& workload, std::byte* memory);
void fill(const Cfd& workload, std::byte* memory);
void fill(const Bfs& workload, std::byte* memory);
void fill(const PageViewRank& workload, std::byte* memory);
void fill(const PageViewCount& workload, std::byte* memory);
void fill(const InvertedIndex& workload, std::byte* memory);
void fill(const Spmv& workload, std::byte* memory);
void fill(const KMeans& workload, std::byte* memory);

[[nodiscard]] std::size_t wrong(const Hotspot& workload, const std::byte* memory);
[[nodiscard]] std::size_t wrong(const BPlusTree& workload, const std::byte* memory);
[[nodiscard]] std::size_t wrong(const BackPropagation& workload, const std::byte* memory);
[[nodiscard]] std::size_t wrong(const Fdtd3d& workload, const std::byte* memory);
[[nodiscard]] std::size_t wrong(const Srad& workload, const std::byte* memory);
[[nodiscard]] std::size_t wrong(const RayTracing& workload, const std::byte* memory);
[[nodiscard]] std::size_t wrong(const Convolution2d& workload, const std::byte* memory);
[[nodiscard]] std::size_t wrong(const Stencil3d& workload, const std::byte* memory);
[[nodiscard]] std::size_t wrong(const Cfd& workload, const std::byte* memory);
[[nodiscard]] std::size_t wrong(const Bfs& workload, const std::byte* memory);
[[nodiscard]] std::size_t wrong(const PageViewRank& workload, const std::byte* memory);
[[nodiscard]] std::size_t wrong(const PageViewCount& workload, const std::byte* memory);
[[nodiscard]] std::size_t wrong(const InvertedIndex& workload, const std::byte* memory);
[[nodiscard]] std::size_t wrong(const Spmv& workload, const std::byte* memory);
[[nodiscard]] std::size_t wrong(const KMeans& workload, const std::byte* memory);

}  // namespace tomograph::workloads

#endif
