#ifndef TOMOGRAPH_TMA_QUESTIONS_HPP
#define TOMOGRAPH_TMA_QUESTIONS_HPP

#include "tomograph/session.hpp"

/// The questions of this plugin. Each function runs the experiments of one probe and publishes its facts.
namespace tomograph::tma {

/// How long does the TMA take to copy a tile, by its size?
void find_latency(const Session& session);
/// How fast does the TMA copy tiles, and from which size on faster than threads?
void find_throughput(const Session& session);
/// What do CTAs of a cluster gain if one copy serves them all?
void find_multicast(const Session& session);

}  // namespace tomograph::tma

#endif
