#ifndef TOMOGRAPH_WORKLOADS_QUESTIONS_HPP
#define TOMOGRAPH_WORKLOADS_QUESTIONS_HPP

#include "tomograph/session.hpp"

namespace tomograph::workloads {

/// How many cycles the workloads take. Publishes workloads.*.
void find_cycles(const Session& session);

}  // namespace tomograph::workloads

#endif
