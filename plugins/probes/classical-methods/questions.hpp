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

/// "size", "line_size", "sets", "ways", "replacement" and "miss_rate_by_size" by the two-stage procedure of Mei & Chu
/// 2017, section 4.2. Needs "hit_threshold".
void follow_mei_stages(const Session& session, const cache::Level& level);

/// "replacement" of L2 as in Mei & Chu 2017, section 4.6: LRU if the misses of a walk that overflows it are periodic.
/// Needs "hit_threshold", "line_size" and "nominal_size".
void follow_mei_l2(const Session& session, const cache::Level& level);

/// "tlb.l2.missed_pages_by_size" as in Mei & Chu 2017, Fig. 8. Needs the level's entries and penalties.
void follow_mei_tlb(const Session& session);

/// "constant_l1.random_walk_by_size" as in Lemeire, Cornelis & Segers 2016, section VI-C and Fig. 7.
void follow_lemeire(const Session& session);

}  // namespace tomograph::classical_methods

#endif
