#ifndef TOMOGRAPH_CACHE_SHARING_VIEW_HPP
#define TOMOGRAPH_CACHE_SHARING_VIEW_HPP

#include <array>
#include <string>
#include <vector>

#include "eviction.hpp"
#include "tomograph/session/session.hpp"

/// Which load paths share a cache, how many of each cache an SM has, and which SMs share one.
namespace tomograph::cache_sharing {

/// A load path and the prefix of the facts about the cache that it shows.
struct View {
  const char* prefix;
  chase::Path path;
};

inline constexpr View l1_data{"l1_data", chase::Path::global_ca};
inline constexpr View read_only{"read_only", chase::Path::global_nc};
inline constexpr View texture{"texture", chase::Path::texture};
inline constexpr View constant_l1{"constant_l1", chase::Path::constant};
inline constexpr std::array views{l1_data, read_only, texture, constant_l1};

[[nodiscard]] inline std::string key(const View& view, const char* name) {
  return std::string(view.prefix) + "." + name;
}

/// Of a cache that shows by one of these facts, the one that is missing to examine it by: of a cache that other probes
/// could not make out. Nothing if none is missing, or all are, as where there is no such cache.
[[nodiscard]] std::optional<std::string> missing_fact(const Session& session, const View& view);

/// Somebody who loads through the cache of `view`, as far as other probes have found out about it: size, line and hit
/// threshold. Nothing if one of these is not known.
[[nodiscard]] std::optional<cache::Party> known_party(const Session& session, const View& view);

[[nodiscard]] cache::Executor executor(const Session& session);

void find_sharing(const Session& session);
/// Who else is in the second level of constant caches.
void find_constant_sharing(const Session& session);
void find_instances(const Session& session, const View& view);
void find_constant_groups(const Session& session);
/// Level 1 is the one next to the SM.
void find_tlb_groups(const Session& session, std::int64_t level);

}  // namespace tomograph::cache_sharing

#endif
