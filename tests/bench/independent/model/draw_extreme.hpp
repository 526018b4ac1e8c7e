#ifndef TOMOGRAPH_BENCH_INDEPENDENT_DRAW_EXTREME_HPP
#define TOMOGRAPH_BENCH_INDEPENDENT_DRAW_EXTREME_HPP

#include "description.hpp"
#include "random.hpp"

namespace independent {

/// Changes how a GPU is measured, not its parts: the scale of its latencies, its noise, the step of its clock, and how
/// often loads are late.
void make_extreme(Random& random, Gpu& gpu);

}  // namespace independent

#endif
