#ifndef TOMOGRAPH_BENCH_INDEPENDENT_TRUTH_HPP
#define TOMOGRAPH_BENCH_INDEPENDENT_TRUTH_HPP

#include <vector>

#include "description.hpp"
#include "expected.hpp"

namespace independent {

/// The facts of a GPU, by their definitions. Nothing is measured.
[[nodiscard]] std::vector<Expected> truth_of(const Gpu& gpu);

}  // namespace independent

#endif
