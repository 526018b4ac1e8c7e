#ifndef TOMOGRAPH_BENCH_INDEPENDENT_DRAW_STRANGE_HPP
#define TOMOGRAPH_BENCH_INDEPENDENT_DRAW_STRANGE_HPP

#include "description.hpp"
#include "random.hpp"

namespace independent {

/// Replaces parts of a known GPU by such as have no word among the facts.
void make_strange(Random& random, Gpu& gpu);

}  // namespace independent

#endif
