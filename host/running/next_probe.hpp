#ifndef TOMOGRAPH_HOST_RUNNING_NEXT_PROBE_HPP
#define TOMOGRAPH_HOST_RUNNING_NEXT_PROBE_HPP

#include <cstddef>
#include <span>

#include "planning/plan.hpp"

namespace tomograph::host {

/// The position of the first probe that can run while another run measures its link to the host: it uses no links and
/// needs no fact of a probe before it in `left`. 0 if there is none.
[[nodiscard]] std::ptrdiff_t next_without_link_to_host(std::span<const PlannedProbe> left);

}  // namespace tomograph::host

#endif
