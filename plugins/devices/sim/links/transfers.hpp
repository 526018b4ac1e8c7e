#ifndef TOMOGRAPH_SIM_LINKS_TRANSFERS_HPP
#define TOMOGRAPH_SIM_LINKS_TRANSFERS_HPP

#include "sim/gpu/description.hpp"
#include "sim/options.hpp"
#include "tomograph/experiment.hpp"
#include "tomograph/transfer.hpp"

namespace tomograph::sim {

/// Answers transfers, in closed form: a pass takes the latency of a copy, and the time of its bytes at the least rate
/// of what it passes. Transfers at the same time share a link, the ports of both GPUs and the fabric equally.
[[nodiscard]] Arrays answer_transfer(const Gpu& gpu, const Options& options, const Experiment& experiment);

/// The link of two GPUs of a node. @throws Refused (UNSUPPORTED) if there is none.
[[nodiscard]] const GpuLink& link_between(const Gpu& gpu, transfer::Place one, transfer::Place other);

/// The way to the host. @throws Refused (UNSUPPORTED) if it is not described.
[[nodiscard]] const HostLink& host_link(const Gpu& gpu);

}  // namespace tomograph::sim

#endif
