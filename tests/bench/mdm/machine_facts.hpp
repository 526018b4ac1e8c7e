#ifndef TOMOGRAPH_BENCH_MDM_MACHINE_FACTS_HPP
#define TOMOGRAPH_BENCH_MDM_MACHINE_FACTS_HPP

#include "machine.hpp"
#include "sim/gpu/description.hpp"
#include "tomograph/kernel/profile.hpp"

namespace tomograph::bench {

/// The machine as a description states it: nominal rates, as the letter takes them from Table 1.
[[nodiscard]] mdm::Machine nominal_machine(const sim::Gpu& gpu);

/// The same with the rates that random loads and streams reach on it: kernels measure them in the simulator, as the
/// probe memory-concurrency does on a GPU.
[[nodiscard]] mdm::Machine measured_machine(const sim::Gpu& gpu);

[[nodiscard]] kernel::ProfiledMachine profiled_machine(const sim::Gpu& gpu);

}  // namespace tomograph::bench

#endif
