#ifndef TOMOGRAPH_DATA_CACHE_LEVEL_HPP
#define TOMOGRAPH_DATA_CACHE_LEVEL_HPP

#include <string>

#include "tomograph/cache/subject.hpp"
#include "tomograph/session.hpp"

/// The two data caches, and what their probes have in common. One file per question; each asks it of either level.
namespace tomograph::data_cache {

struct Level {
  const char* prefix;
  chase::Path path;
  bool shared;
};

inline constexpr Level l1{"l1_data", chase::Path::global_ca, false};
inline constexpr Level l2{"l2", chase::Path::global_cg, true};

/// The path that bypasses L1 and shows what L2 holds.
inline constexpr chase::Path beyond_l1 = chase::Path::global_cg;

[[nodiscard]] inline std::string key(const Level& level, const char* name) {
  return std::string(level.prefix) + "." + name;
}

[[nodiscard]] cache::Executor executor(const Session& session);

/// The level with what other probes have found out: its hit threshold. @throws Skip for L1 where it does not hold
/// global loads.
[[nodiscard]] cache::Subject known_subject(const Session& session, const Level& level);

/// Bytes of other data that push everything out of L2: four times its size, by the API or, without one, a guess that
/// is large for any present L2.
[[nodiscard]] std::int64_t flush_bytes(const Session& session);

/// Sizes between which the capacity of the level is sought.
struct SearchRange {
  std::int64_t start = 0;
  std::int64_t limit = 0;
};
[[nodiscard]] SearchRange search_range(const Session& session, const Level& level);

/// Whether L2's partitions keep copies of each other's lines, so that one SM fills its own partition only.
[[nodiscard]] bool l2_is_replicated(const Session& session);

/// The value of a fact, or the reason that it has none.
void publish_or(const Session& session, bool conclusive, Fact fact, const std::string& reason);

/// Evidence columns.
[[nodiscard]] inline NamedArray column(std::string name, std::vector<double> values) {
  return {std::move(name), std::move(values)};
}

void find_latency(const Session& session, const Level& level);
void find_fetch(const Session& session, const Level& level);
void find_line(const Session& session, const Level& level);
void find_l1_size(const Session& session);
void find_l2_size(const Session& session);
void find_organisation(const Session& session, const Level& level);
void find_tagging(const Session& session);
void find_partitions(const Session& session);

}  // namespace tomograph::data_cache

#endif
