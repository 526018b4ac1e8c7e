#ifndef TOMOGRAPH_BENCH_ACCURACY_SLICE_TRUTH_HPP
#define TOMOGRAPH_BENCH_ACCURACY_SLICE_TRUTH_HPP

#include "family.hpp"
#include "sim/gpu/description.hpp"

namespace tomograph::bench {

/// Whether a published l2.slice_function tells the slices of an L2 with a slice function: in some page, where address
/// bits above it invert parities and add to numbers, all lines of an entry lie in one slice, and no others do.
[[nodiscard]] bool tells_slices(const sim::L2& l2, const Json& published);

}  // namespace tomograph::bench

#endif
