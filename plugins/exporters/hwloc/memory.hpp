#ifndef TOMOGRAPH_EXPORTERS_HWLOC_MEMORY_HPP
#define TOMOGRAPH_EXPORTERS_HWLOC_MEMORY_HPP

#include <cstdint>
#include <optional>
#include <vector>

#include "object.hpp"
#include "tomograph/exporter.hpp"

namespace tomograph::hwloc {

/// The device's memory, NUMA node 0; nothing if its size is not known.
[[nodiscard]] std::optional<Object> device_memory(const Topology& topology);

/// The shared memory of an SM, NUMA node sm + 1; nothing if its size is not known.
[[nodiscard]] std::optional<Object> shared_memory(const Topology& topology, std::int64_t sm);

/// Bandwidth in MiB/s and latency in ns of both, where they were measured.
[[nodiscard]] std::vector<MemoryValue> memory_values(const Topology& topology);

}  // namespace tomograph::hwloc

#endif
