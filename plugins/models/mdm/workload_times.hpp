#ifndef TOMOGRAPH_MDM_WORKLOAD_TIMES_HPP
#define TOMOGRAPH_MDM_WORKLOAD_TIMES_HPP

#include "tomograph/session.hpp"

namespace tomograph::mdm {

/// Predicts the fifteen workloads (plugins/workloads), or those that the parameter `workloads` names. Publishes
/// workloads.predicted_*, and as evidence the measured cycles beside the predicted ones.
/// @throws Refused as invalid, if there is no workload of a name, or a needed fact is not known or not positive.
void predict_workloads(const Session& session);

}  // namespace tomograph::mdm

#endif
