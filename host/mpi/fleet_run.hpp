#ifndef TOMOGRAPH_HOST_MPI_FLEET_RUN_HPP
#define TOMOGRAPH_HOST_MPI_FLEET_RUN_HPP

#include <filesystem>

#include "commands/run_options.hpp"
#include "mpi/mailbox.hpp"

namespace tomograph::host {

struct FleetRunOptions {
  RunOptions run;
  std::filesystem::path fleet = "fleet.toml";
  double false_alarm_rate = 0.05;
};

/// Measures the GPUs of all nodes: each rank its share of those of its node, all at the same time, with runs of
/// `tomograph run`. Rank 0 writes each topology as it arrives, and merges all at the end. All ranks call it. Returns
/// the exit code of this rank: on rank 0 that of `tomograph fleet`, and at least 1 if a GPU could not be measured.
/// @throws InputError on rank 0 alone; the others return 2.
[[nodiscard]] int run_fleet(const Mpi& mpi, const FleetRunOptions& options);

}  // namespace tomograph::host

#endif
