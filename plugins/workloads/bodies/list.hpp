#ifndef TOMOGRAPH_WORKLOADS_LIST_HPP
#define TOMOGRAPH_WORKLOADS_LIST_HPP

#include "bodies/divergent.hpp"
#include "bodies/regular.hpp"

namespace tomograph::workloads {

template <typename... Bodies>
struct List {};

/// All workloads, in the order of their numbers.
using RegularBodies = List<Hotspot, BPlusTree, BackPropagation, Fdtd3d, Srad, RayTracing, Convolution2d, Stencil3d>;
using DivergentBodies = List<Cfd, Bfs, PageViewRank, PageViewCount, InvertedIndex, Spmv, KMeans>;

}  // namespace tomograph::workloads

#endif
