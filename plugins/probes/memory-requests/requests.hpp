#ifndef TOMOGRAPH_MEMORY_REQUESTS_REQUESTS_HPP
#define TOMOGRAPH_MEMORY_REQUESTS_REQUESTS_HPP

#include "tomograph/session/session.hpp"

namespace tomograph::memory_requests {

/// Publishes the latencies of requests to global memory by the size of their elements.
void find_request_latencies(const Session& session);

}  // namespace tomograph::memory_requests

#endif
