#ifndef TOMOGRAPH_MEMORY_REQUESTS_QUESTIONS_HPP
#define TOMOGRAPH_MEMORY_REQUESTS_QUESTIONS_HPP

#include "tomograph/session.hpp"

namespace tomograph::memory_requests {

/// How many cycles a warp's request to global memory takes, by element size. Publishes dram.request.*.
void find_request_latencies(const Session& session);

}  // namespace tomograph::memory_requests

#endif
