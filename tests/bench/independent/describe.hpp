#ifndef TOMOGRAPH_BENCH_INDEPENDENT_DESCRIBE_HPP
#define TOMOGRAPH_BENCH_INDEPENDENT_DESCRIBE_HPP

#include <string>

#include "description.hpp"

namespace independent {

/// The parts of a GPU, one a line.
[[nodiscard]] std::string describe(const Gpu& gpu);

}  // namespace independent

#endif
