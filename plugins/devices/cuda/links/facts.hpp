#ifndef TOMOGRAPH_CUDA_LINKS_FACTS_HPP
#define TOMOGRAPH_CUDA_LINKS_FACTS_HPP

#include "cuda/nvml/nvml.hpp"
#include "tomograph/session.hpp"

namespace tomograph::cuda {

/// Publishes, with source `api`, which GPUs this process sees and what is reported about the links of `device` to them
/// and to the host: device.*.
void publish_link_facts(const Session& session, const Nvml& nvml, int device);

}  // namespace tomograph::cuda

#endif
