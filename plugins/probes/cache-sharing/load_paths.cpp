#include "load_paths.hpp"

#include <limits>

namespace tomograph::cache_sharing {

namespace {

/// Constants that a program can have if nothing better is known: most of the 64 KiB of a CUDA module. Other memory has
/// room for several times any cache of an SM.
constexpr std::int64_t usual_constants = std::int64_t{60} << 10;
constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max();

}  // namespace

std::optional<std::string> missing_fact(const Session& session, const LoadPath& path) {
  std::optional<std::string> missing;
  for (const char* name : {"hit_threshold", "size", "line_size"}) {
    const std::string needed = key(path, name);
    if (session.absence(needed)) return std::nullopt;
    if (!missing && !session.fact_record(needed)) missing = needed;
  }
  return missing;
}

std::optional<CacheUser> known_user(const Session& session, const LoadPath& path) {
  const auto size = session.fact<std::int64_t>(key(path, "size"));
  const auto line = session.fact<std::int64_t>(key(path, "line_size"));
  const auto threshold = session.fact<double>(key(path, "hit_threshold"));
  if (!size || !line || !threshold) return std::nullopt;
  CacheUser user{.subject = {.path = path.path}, .size = *size, .line_bytes = *line, .room = no_limit};
  user.subject.threshold.cycles = *threshold;
  if (chase::space_of(path.path) == chase::Space::constant) {
    user.room = session.fact<std::int64_t>("constant_memory.reach").value_or(usual_constants);
  }
  return user;
}

}  // namespace tomograph::cache_sharing
