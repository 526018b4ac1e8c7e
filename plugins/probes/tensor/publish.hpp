#ifndef TOMOGRAPH_TENSOR_PUBLISH_HPP
#define TOMOGRAPH_TENSOR_PUBLISH_HPP

#include <span>
#include <string>

#include "analysis_surface.hpp"
#include "tomograph/session.hpp"

namespace tomograph::tensor {

/// Publishes the facts of one type from the points of all its forms, and these as evidence.
void publish(const Session& session, const std::string& prefix, std::span<const Point> points);

/// The same for instructions of warpgroups; `one_by_one` is the point of products that wait for one another.
void publish_warpgroups(const Session& session, const std::string& prefix, std::span<const Point> points,
                        const Point& one_by_one);

}  // namespace tomograph::tensor

#endif
