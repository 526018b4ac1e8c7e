#ifndef TOMOGRAPH_SIM_KERNEL_STEADY_STATE_HPP
#define TOMOGRAPH_SIM_KERNEL_STEADY_STATE_HPP

#include <cstdint>

#include "sim/kernel/simulation.hpp"
#include "tomograph/kernel.hpp"

/// Long loops of random loads soon reach a steady state, in which an iteration takes as long as any other. So the first
/// iterations tell the cycles of all. Latencies settle much later than rates: loops with a timed load are not
/// shortened.
namespace tomograph::sim::timed {

/// How many iterations of a kernel to simulate: all, or as many of a long loop of random loads as show its steady
/// state. `kernel.sms` is not empty.
[[nodiscard]] std::int64_t iterations_to_simulate(const Gpu& gpu, const kernel::Kernel& kernel);

/// The instructions of an SM that show the steady state of a kernel that was shortened so.
[[nodiscard]] KernelRun::Section steady_section(const kernel::Kernel& kernel);

/// The times of `iterations` iterations from those of the shortened `kernel`, whose run counted the cycles of its
/// `steady_section`: each further iteration takes as long as one of that section.
[[nodiscard]] KernelTimes extended(KernelTimes times, const kernel::Kernel& kernel, std::int64_t iterations);

}  // namespace tomograph::sim::timed

#endif
