#ifndef TOMOGRAPH_WORKLOADS_QUESTIONS_HPP
#define TOMOGRAPH_WORKLOADS_QUESTIONS_HPP

#include "tomograph/session.hpp"

namespace tomograph::workloads {

/// How fast CTAs start, and follow each other. Publishes device.cta_*.
void find_launch(const Session& session);

/// How many cycles the workloads take. Publishes workloads.*.
void find_cycles(const Session& session);

}  // namespace tomograph::workloads

#endif
