#ifndef TOMOGRAPH_BENCH_MDM_CONFIGURATIONS_HPP
#define TOMOGRAPH_BENCH_MDM_CONFIGURATIONS_HPP

#include <string>
#include <vector>

#include "published.hpp"
#include "sim/gpu/description.hpp"
#include "tomograph/kernel/description.hpp"

namespace tomograph::bench {

/// A workload of Table 2 of the letter.
struct Workload {
  kernel::Description description;
  bool divergent = false;  ///< the letter's type: MD or NMD
};

/// The fifteen workloads in the order of Table 2, from the folder `kernels`. @throws InputError
[[nodiscard]] std::vector<Workload> workloads();

/// A machine on which all workloads run.
struct Configuration {
  std::string name;
  sim::Gpu gpu;
  std::int64_t ctas_per_sm = 6;
  std::int64_t lanes = 32;  ///< of each warp that take part
};

/// Table 1, then one change at a time.
[[nodiscard]] std::vector<Configuration> configurations();

/// The workload as it runs on a configuration.
[[nodiscard]] kernel::Kernel kernel_on(const Configuration& configuration, const Workload& workload);

}  // namespace tomograph::bench

#endif
