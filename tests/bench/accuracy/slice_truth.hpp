#ifndef TOMOGRAPH_BENCH_ACCURACY_SLICE_TRUTH_HPP
#define TOMOGRAPH_BENCH_ACCURACY_SLICE_TRUTH_HPP

#include "family.hpp"
#include "sim/gpu/description.hpp"

namespace tomograph::bench {

/// Whether a published l2.slice_function tells the slices of an L2 with a slice function: with some bits of its number
/// inverted, as pages do, all lines of an entry lie in one slice of the first page, and no others do.
[[nodiscard]] bool tells_slices(const sim::L2& l2, const Json& published);

}  // namespace tomograph::bench

#endif
