#ifndef TOMOGRAPH_SIM_L2_LINES_PAGES_HPP
#define TOMOGRAPH_SIM_L2_LINES_PAGES_HPP

#include <cstdint>

#include "sim/chase/hierarchy.hpp"
#include "sim/options.hpp"
#include "tomograph/l2_lines.hpp"

namespace tomograph::sim {

/// The physical address of a line. Pages, or the first one if memory is contiguous, lie at pseudo-random places, the
/// same in every experiment of a seed.
[[nodiscard]] std::uint64_t physical_address(const Hierarchy& hierarchy, const Options& options,
                                             const l2_lines::Memory& memory, std::int64_t line);

}  // namespace tomograph::sim

#endif
