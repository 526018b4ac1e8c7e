#ifndef TOMOGRAPH_PLUGINS_CUDA_FACTS_HPP
#define TOMOGRAPH_PLUGINS_CUDA_FACTS_HPP

#include "tomograph/session.hpp"

namespace tomograph::cuda {

/// Publishes the facts that the CUDA runtime reports about `device`, with source `api`.
void publish_facts(const Session& session, int device);

}  // namespace tomograph::cuda

#endif
