#ifndef TOMOGRAPH_PLUGINS_CUDA_FACTS_HPP
#define TOMOGRAPH_PLUGINS_CUDA_FACTS_HPP

#include <cuda_runtime_api.h>

#include <string>

#include "cuda/nvml/nvml.hpp"
#include "tomograph/session.hpp"

namespace tomograph::cuda {

/// E.g. "0000:18:00.0". @throws std::runtime_error.
[[nodiscard]] std::string pci_bus_id(int device);

/// Publishes what NVML reports about `device`, as far as it does: the number of processes that use it, the version of
/// the driver, the cores of an SM. To be called before this process uses the device.
void publish_nvml_facts(const Session& session, const Nvml& nvml, int device);

/// Publishes the facts that the CUDA runtime reports about `device`, with source `api`.
void publish_facts(const Session& session, int device);

/// Publishes a fact with source `api`. `method` is the function that reports it.
void publish_api_fact(const Session& session, const char* key, Value value, const char* unit, const char* method);

}  // namespace tomograph::cuda

#endif
