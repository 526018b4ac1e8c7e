#ifndef TOMOGRAPH_BENCH_PAPERS_REGISTRY_HPP
#define TOMOGRAPH_BENCH_PAPERS_REGISTRY_HPP

#include <vector>

#include "paper.hpp"

namespace tomograph::bench {

/// All papers, by file name. Each file rows/NAME.cpp defines `Paper NAME_paper::make()`; CMake finds it.
[[nodiscard]] std::vector<Paper> papers();

}  // namespace tomograph::bench

#endif
