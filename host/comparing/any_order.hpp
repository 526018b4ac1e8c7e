#ifndef TOMOGRAPH_HOST_COMPARING_ANY_ORDER_HPP
#define TOMOGRAPH_HOST_COMPARING_ANY_ORDER_HPP

#include "topology/fact_record.hpp"

namespace tomograph::host {

/// The value of `b`, in the order of `a`. Some facts list what has no names, for example slices of a cache. A second
/// measurement lists these in another order. The condition "in_any_order" of such a fact says what moves: "entries" of
/// a list, or "columns" of a list of rows. Each one of `a`, from the first on, gets the nearest one of `b` that is
/// left. A difference that all have in common does not count. Other values stay as they are.
[[nodiscard]] Json arranged_like(const FactRecord& a, const FactRecord& b);

}  // namespace tomograph::host

#endif
