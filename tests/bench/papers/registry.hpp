#ifndef TOMOGRAPH_BENCH_PAPERS_REGISTRY_HPP
#define TOMOGRAPH_BENCH_PAPERS_REGISTRY_HPP

#include <vector>

#include "paper.hpp"

namespace tomograph::bench {

/// All papers, by name of their files. Each is a function `Paper NAME()` in rows/NAME.cpp, which nothing else has to
/// mention.
[[nodiscard]] std::vector<Paper> papers();

}  // namespace tomograph::bench

#endif
