#ifndef TOMOGRAPH_BENCH_INDEPENDENT_DRAW_EXTREME_HPP
#define TOMOGRAPH_BENCH_INDEPENDENT_DRAW_EXTREME_HPP

#include "description.hpp"
#include "random.hpp"

namespace independent {

/// Makes a GPU much faster or slower, louder or quieter than any, its clock coarser, or its loads late more often.
void make_extreme(Random& random, Gpu& gpu);

}  // namespace independent

#endif
