#ifndef TOMOGRAPH_CLASSICAL_METHODS_METHODS_HPP
#define TOMOGRAPH_CLASSICAL_METHODS_METHODS_HPP

#include <cstdint>
#include <span>
#include <vector>

#include "tomograph/analysis/confidence.hpp"
#include "tomograph/cache/level.hpp"
#include "tomograph/cache/questions.hpp"

/// Cache parameters as three publications found them, for comparison with the usual probes.
namespace tomograph::classical_methods {

/// A walk with one stride over the first bytes of an array.
struct Walk {
  std::int64_t bytes = 0;
  std::int64_t stride = chase::node_bytes;
};

/// Average net latency of each walk once the cache has seen it (tvalue): median of five.
[[nodiscard]] std::vector<double> averages(const cache::Executor& execute, const cache::Subject& subject,
                                           std::span<const Walk> walks);

/// Net latencies of the first loads of each walk when it is repeated, the same number for all.
[[nodiscard]] std::vector<std::vector<double>> second_rounds(const cache::Executor& execute,
                                                             const cache::Subject& subject,
                                                             std::span<const Walk> walks);

using confidence::unverified;

/// Each publishes "size", "line_size", "sets" and "ways" of a level. Saavedra 1992: the average against the stride.
void follow_saavedra(const Session& session, const cache::Level& level);
/// Wong 2010: the average against the size, with the stride of parameter "stride".
void follow_wong(const Session& session, const cache::Level& level);

/// "size" as in Größler 2022. Needs "hit_threshold".
void follow_groessler(const Session& session, const cache::Level& level);

/// "prefetch" as in Mei & Chu 2017, section 4.6: what the first load of a walk upwards brings. Needs "hit_threshold"
/// and "nominal_size".
void follow_mei(const Session& session, const cache::Level& level);

}  // namespace tomograph::classical_methods

#endif
