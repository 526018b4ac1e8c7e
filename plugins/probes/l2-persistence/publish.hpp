#ifndef TOMOGRAPH_L2_PERSISTENCE_PUBLISH_HPP
#define TOMOGRAPH_L2_PERSISTENCE_PUBLISH_HPP

#include <span>

#include "analysis_kept.hpp"
#include "experiments.hpp"
#include "tomograph/session.hpp"

namespace tomograph::l2_persistence {

/// Under which the facts hold.
struct Conditions {
  std::int64_t set_aside = 0;  ///< bytes
  std::int64_t streamed = 0;   ///< bytes
  analysis::Threshold threshold;
};

/// Keeps the loads that tell hits from misses as evidence.
void keep_controls(const Session& session, std::span<const double> hits, std::span<const double> misses);

/// Publishes what stays of persisting lines, with and without a part set aside.
void publish_persisting(const Session& session, const Conditions& conditions, std::span<const Kept> with,
                        std::span<const Kept> without);

/// Publishes what fits of normal lines, beside a part that is set aside and without one.
void publish_beside(const Session& session, const Conditions& conditions, std::span<const Kept> with,
                    std::span<const Kept> without);

}  // namespace tomograph::l2_persistence

#endif
