#include "view.hpp"

#include <limits>

namespace tomograph::cache_sharing {

namespace {

/// Constants that a program surely can have, of the 64 KiB of a CUDA module, where nothing better is known. Other
/// memory has room for several times any cache of an SM.
constexpr std::int64_t usual_constants = std::int64_t{60} << 10;
constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max();

}  // namespace

std::optional<std::string> missing_fact(const Session& session, const View& view) {
  std::optional<std::string> missing;
  bool shows = false;
  for (const char* name : {"size", "line_size", "hit_threshold"}) {
    if (session.fact_record(key(view, name))) {
      shows = true;
    } else {
      missing = key(view, name);
    }
  }
  return shows ? missing : std::nullopt;
}

std::optional<cache::Party> known_party(const Session& session, const View& view) {
  const auto size = session.fact<std::int64_t>(key(view, "size"));
  const auto line = session.fact<std::int64_t>(key(view, "line_size"));
  const auto threshold = session.fact<double>(key(view, "hit_threshold"));
  if (!size || !line || !threshold) return std::nullopt;
  cache::Party party{.subject = {.path = view.path}, .size = *size, .line_bytes = *line, .room = no_limit};
  party.subject.threshold.cycles = *threshold;
  if (chase::space_of(view.path) == chase::Space::constant) {
    party.room = session.fact<std::int64_t>("constant_memory.reach").value_or(usual_constants);
  }
  return party;
}

cache::Executor executor(const Session& session) {
  return [&session](std::span<const chase::Program> programs) { return session.execute(programs); };
}

}  // namespace tomograph::cache_sharing
