#ifndef TOMOGRAPH_CLASSICAL_METHODS_QUESTIONS_HPP
#define TOMOGRAPH_CLASSICAL_METHODS_QUESTIONS_HPP

#include "tomograph/analysis/confidence.hpp"
#include "tomograph/cache/level.hpp"
#include "tomograph/cache/questions.hpp"

/// Cache parameters by published methods of other authors, for comparison with the usual probes.
namespace tomograph::classical_methods {

/// Confidence of facts whose method states no probability of error.
using confidence::unverified;

/// "size", "line_size", "sets" and "ways" as in Saavedra 1992: average latency by stride.
void follow_saavedra(const Session& session, const cache::Level& level);

/// The same as in Wong 2010: average latency by size, with the stride of parameter "stride".
void follow_wong(const Session& session, const cache::Level& level);

/// "size" as in Größler 2022. Needs "hit_threshold".
void follow_groessler(const Session& session, const cache::Level& level);

/// "prefetch" as in Mei & Chu 2017, section 4.6: what the first load of an ascending walk fetches. Needs
/// "hit_threshold" and "nominal_size".
void follow_mei(const Session& session, const cache::Level& level);

}  // namespace tomograph::classical_methods

#endif
