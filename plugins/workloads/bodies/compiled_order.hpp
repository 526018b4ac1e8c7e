#ifndef TOMOGRAPH_WORKLOADS_COMPILED_ORDER_HPP
#define TOMOGRAPH_WORKLOADS_COMPILED_ORDER_HPP

#include <cstddef>
#include <span>
#include <vector>

#include "tomograph/kernel/trace.hpp"

namespace tomograph::workloads {

/// Loads that compiled code has in flight at once. Bodies are compiled for full occupancy, so for 32 registers; half of
/// them are left for addresses and sums.
inline constexpr std::size_t loads_at_once = 16;

/// Reorders the instructions of each run as compilers do: what loads need comes first, then the loads, up to
/// `loads_at_once` of them, then what uses them. `ends` are the ends of the runs, in ascending order. Needs are
/// renumbered.
void order_as_compiled(std::vector<kernel::Instruction>& instructions, std::span<const std::size_t> ends);

}  // namespace tomograph::workloads

#endif
