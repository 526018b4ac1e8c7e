#ifndef TOMOGRAPH_RUNTIME_CALLS_QUESTIONS_HPP
#define TOMOGRAPH_RUNTIME_CALLS_QUESTIONS_HPP

#include "tomograph/session.hpp"

namespace tomograph::runtime_calls {

/// How long does it take to start a kernel? Publishes launch.latency, .call, .period and .synchronise.
void find_launch(const Session& session);

/// How long does it take to start a graph? Publishes launch.graph_latency, .graph_call and .graph_period.
void find_graph_launch(const Session& session);

/// How fast does the runtime copy and set memory? Publishes dram.bandwidth.memcpy and .memset.
void find_moves(const Session& session);

}  // namespace tomograph::runtime_calls

#endif
