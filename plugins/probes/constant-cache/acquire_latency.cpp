#include "acquire_spectrum.hpp"
#include "publish.hpp"
#include "questions.hpp"

namespace tomograph::constant_cache {

namespace {

/// Extra latency of the far partition of L2, if it is known.
std::optional<double> far_distance(const Session& session) {
  const auto near = session.fact<double>("l2.latency.near");
  const auto far = session.fact<double>("l2.latency.far");
  if (far && near) return *far - *near;
  if (session.fact<std::int64_t>("l2.partition.count") == 1) return 0;
  return std::nullopt;
}

}  // namespace

void find_latencies(const Session& session) {
  const auto execute = cache::executor(session);
  const auto sm_count = session.needed<std::int64_t>("device.sm_count");
  const std::int64_t bytes = reach(execute);
  publish_reach(session, bytes);
  auto smallest = smallest_footprint(execute, sm_count);
  const Spectrum spectrum{smallest.hits, sweep(execute, bytes), after_neighbours(execute, bytes, sm_count)};
  keep_evidence(session, spectrum);
  const Levels levels = find_levels(spectrum, far_distance(session));
  if (!levels.first) return publish_no_cache(session);
  smallest.threshold = levels.first;
  smallest.misses = levels.first_misses.empty() ? levels.from_l2 : levels.first_misses;
  cache::publish_latencies(session, l1, smallest);
  publish_l2_latency(session, levels);
  if (levels.second) {
    // It takes as long on every SM, or nearly.
    publish_second(session, levels, hits_of_second(levels, on_other_sms(execute, levels.beyond_first, sm_count)));
  } else {
    publish_no_second(session, levels);
  }
}

}  // namespace tomograph::constant_cache
