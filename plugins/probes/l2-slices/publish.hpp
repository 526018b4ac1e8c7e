#ifndef TOMOGRAPH_L2_SLICES_PUBLISH_HPP
#define TOMOGRAPH_L2_SLICES_PUBLISH_HPP

#include <string>

#include "findings.hpp"
#include "tomograph/session.hpp"

namespace tomograph::l2_slices {

/// Publishes all facts of the probe, or why they are not known.
void publish(const Session& session, const Findings& findings);

/// Makes all facts of the probe inconclusive.
void leave_open(const Session& session, const std::string& reason);

}  // namespace tomograph::l2_slices

#endif
