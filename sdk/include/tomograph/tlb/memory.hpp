#ifndef TOMOGRAPH_TLB_MEMORY_HPP
#define TOMOGRAPH_TLB_MEMORY_HPP

#include "tomograph/session.hpp"

namespace tomograph::tlb {

/// Runs a program that takes little memory, so that the device frees what walks over all of it took, for the plugins
/// that run their own experiments. Does nothing if the device refuses. @throws DeviceLost.
void give_memory_back(const Session& session);

}  // namespace tomograph::tlb

#endif
