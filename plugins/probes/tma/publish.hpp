#ifndef TOMOGRAPH_TMA_PUBLISH_HPP
#define TOMOGRAPH_TMA_PUBLISH_HPP

#include <cstdint>
#include <map>
#include <vector>

#include "analysis_latency.hpp"
#include "analysis_throughput.hpp"
#include "kinds.hpp"
#include "tomograph/session.hpp"

/// Publishes findings, and the curves behind them.
namespace tomograph::tma {

/// The facts of tma/latency. There is at least one latency.
void publish(const Session& session, const std::vector<Latency>& latencies);

/// The curve of tma/throughput.
void keep_curve(const Session& session, const std::vector<Candidate>& candidates);
/// The bandwidths of `throughput_kinds`, in their order, and the tiles that follow from them.
void publish(const Session& session, const std::vector<std::vector<Bandwidth>>& best);
/// tma.saturating_tile_by_ctas, from bandwidths by CTAs on an SM and from those of any number of CTAs.
void publish(const Session& session, const std::map<std::int64_t, std::vector<ByTile>>& by_ctas,
             const std::vector<Bandwidth>& best);

}  // namespace tomograph::tma

#endif
