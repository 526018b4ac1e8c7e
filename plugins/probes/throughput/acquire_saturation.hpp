#ifndef TOMOGRAPH_THROUGHPUT_ACQUIRE_SATURATION_HPP
#define TOMOGRAPH_THROUGHPUT_ACQUIRE_SATURATION_HPP

#include <vector>

#include "acquire_search.hpp"
#include "tomograph/session.hpp"

namespace tomograph::throughput {

/// Programs like `base` by bytes in flight, ascending in steps of about a tenth: first few warps, then more of them,
/// then more ILP. Elements are 16 B.
[[nodiscard]] std::vector<streaming::Program> rising_bytes_in_flight(const streaming::Program& base,
                                                                     const Bounds& bounds);

/// Publishes `key`, or why it is unknown, from a sweep of reads like `base`.
void find_saturation(const Session& session, const char* key, const streaming::Program& base);

}  // namespace tomograph::throughput

#endif
