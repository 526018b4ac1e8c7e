#include <utility>

#include "tomograph/cache/questions.hpp"
#include "tomograph/cache/translation.hpp"

namespace tomograph::cache {

namespace {

/// Loads of an SM that a program may time one by one. Devices keep 8 B of each in shared memory, of which they may need
/// 2 KiB otherwise. A device that does not say how much it has keeps as many as any probe times.
std::int64_t most_timed(const Session& session) {
  constexpr std::int64_t reserve = 2048;  // bytes, as said above
  constexpr std::int64_t usual = timed_loads_shared * chase::node_bytes + reserve;
  const auto shared = session.fact<std::int64_t>("device.max_shared_memory_per_block").value_or(usual);
  return std::clamp((shared - reserve) / chase::node_bytes, 2 * timed_loads, timed_loads_shared);
}

}  // namespace

Executor executor(const Session& session) {
  return [&session](std::span<const chase::Program> programs) { return session.execute(programs); };
}

Executor executor(const Session& session, const Level& level) {
  Executor execute = executor(session);
  return level.shared && has_small_pages(execute) ? with_translations(std::move(execute)) : execute;
}

Subject subject_of(const Level& level) {
  return {.path = level.path, .carveout = 0, .shared = level.shared, .disturbed = level.disturbed};
}

Subject known_subject(const Session& session, const Level& level) {
  Subject subject = subject_of(level);
  subject.threshold = {.cycles = session.needed<double>(key(level, "hit_threshold")),
                       .false_miss = session.needed<double>(key(level, "hit_threshold.false_miss")),
                       .false_hit = session.needed<double>(key(level, "hit_threshold.false_hit"))};
  subject.most_timed = most_timed(session);
  if (level.shared) subject.sm = 0;
  if (level.above && (*level.above)->path == level.path) {
    subject.before = session.needed<double>(key(**level.above, "hit_threshold"));
  }
  if (level.reach) subject.largest = session.needed<std::int64_t>(*level.reach);
  return subject;
}

std::int64_t flush_bytes(const Session& session) {
  constexpr std::int64_t large = std::int64_t{64} << 20;  // for an unknown L2; an H200 has 60 MiB
  const std::int64_t wanted = 4 * session.fact<std::int64_t>("l2.nominal_size").value_or(large);
  const auto free = session.fact<std::int64_t>("dram.free");
  return free ? std::min(wanted, std::max(*free / 2 / page_bytes, std::int64_t{1}) * page_bytes) : wanted;
}

SearchRange search_range(const Session& session, const Level& level) {
  if (level.shared) return {small_footprint * 4, flush_bytes(session)};
  constexpr std::int64_t beyond_any_l1 = std::int64_t{8} << 20;  // the largest L1 today has 256 KiB
  if (!level.reach) return {small_footprint / 4, beyond_any_l1};
  return {small_footprint / 16, session.needed<std::int64_t>(*level.reach)};
}

void publish_or(const Session& session, bool conclusive, const Fact& fact, const std::string& reason) {
  if (conclusive) {
    session.publish(fact);
  } else {
    session.inconclusive(fact.key, reason);
  }
}

}  // namespace tomograph::cache
