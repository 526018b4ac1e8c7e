#ifndef TOMOGRAPH_CLASSICAL_METHODS_PUBLISH_HPP
#define TOMOGRAPH_CLASSICAL_METHODS_PUBLISH_HPP

#include <optional>
#include <span>
#include <string>

#include "analysis_average_latency.hpp"
#include "tomograph/cache/level.hpp"
#include "tomograph/session.hpp"

namespace tomograph::classical_methods {

/// Publishes what a method found. The parameters that it did not find are inconclusive.
void publish(const Session& session, const cache::Level& level, const char* method, std::uint64_t samples,
             const std::optional<CacheParameters>& found);

/// The curves as evidence.
void keep(const Session& session, const std::string& name, std::span<const StrideCurve> curves);

}  // namespace tomograph::classical_methods

#endif
