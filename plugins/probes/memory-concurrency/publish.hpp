#ifndef TOMOGRAPH_MEMORY_CONCURRENCY_PUBLISH_HPP
#define TOMOGRAPH_MEMORY_CONCURRENCY_PUBLISH_HPP

#include <string>
#include <vector>

#include "analysis_load.hpp"
#include "tomograph/session.hpp"

namespace tomograph::memory_concurrency {

/// Probability that a median lies outside of the interval that is published for it, or that the method is wrong.
[[nodiscard]] double doubt_of(const std::vector<double>& values);

/// Publishes the rate of a saturated point, as bytes per second of the device or per cycle of its SMs. Inconclusive if
/// `points` do not saturate, or scatter.
void publish_saturated(const Session& session, const std::string& key, const std::vector<Point>& points,
                       bool per_second, const std::string& evidence);

/// Publishes `level`.bandwidth.gather_by_lines.
void publish_by_lines(const Session& session, const std::string& level, const std::vector<Point>& points,
                      const std::string& evidence);

/// Publishes `part`.queueing_curve and `part`.queueing_knee.
void publish_queueing(const Session& session, const std::string& part, const std::vector<Point>& points,
                      const std::string& evidence);

}  // namespace tomograph::memory_concurrency

#endif
