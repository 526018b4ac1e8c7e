#include "tomograph/cache/tagging.hpp"

#include "tomograph/analysis/proportion.hpp"
#include "tomograph/cache/questions.hpp"

namespace tomograph::cache {

void find_tagging(const Session& session, const Level& level) {
  const std::string name = key(level, "virtually_tagged");
  Aliased seen;
  try {
    seen = load_through_alias(executor(session), known_subject(session, level));
  } catch (const Refused& refused) {
    if (refused.status != TOMOGRAPH_UNSUPPORTED) throw;
    return session.inconclusive(name, refused.what());
  }
  session.evidence(name, std::vector{column("latency_through_alias_cycles", seen.latencies)});
  const std::size_t misses = seen.loads - seen.hits;
  const bool is_virtual = misses > seen.hits;
  const auto agreeing = is_virtual ? misses : seen.hits;
  // The control shows that the lines were held at all. One load in 20 may be misread, as threshold_between accepts.
  const bool sound = seen.control_hits * 20 > seen.control_loads * 19 && agreeing * 20 > seen.loads * 19;
  publish_or(session, sound,
             {.key = name,
              .value = is_virtual,
              .method = "second-mapping",
              .confidence = analysis::confidence_from_agreement(agreeing, seen.loads, 1),
              .samples = seen.loads + seen.control_loads,
              .evidence = name},
             "loads through a second mapping neither all hit nor all miss");
}

}  // namespace tomograph::cache
