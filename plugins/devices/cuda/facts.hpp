#ifndef TOMOGRAPH_PLUGINS_CUDA_FACTS_HPP
#define TOMOGRAPH_PLUGINS_CUDA_FACTS_HPP

#include "tomograph/session.hpp"

namespace tomograph::cuda {

/// Publishes the number of processes that use `device`, if it can be had. To be called before this one does.
void publish_other_processes(const Session& session, int device);

/// Publishes the facts that the CUDA runtime reports about `device`, with source `api`.
void publish_facts(const Session& session, int device);

}  // namespace tomograph::cuda

#endif
