#ifndef TOMOGRAPH_HOST_COMPARING_ANY_ORDER_HPP
#define TOMOGRAPH_HOST_COMPARING_ANY_ORDER_HPP

#include "topology/fact_record.hpp"

namespace tomograph::host {

/// The value of `b` for a comparison with `a`. Some facts list what has no names, as slices of a cache, so that a
/// second measurement lists it in another order: their condition "in_any_order" is "entries", or "columns" of a list of
/// rows. Each of these in `a`, from the first on, gets
/// the nearest in `b` that is left, but for a difference that all have in common.
[[nodiscard]] Json arranged_like(const FactRecord& a, const FactRecord& b);

}  // namespace tomograph::host

#endif
