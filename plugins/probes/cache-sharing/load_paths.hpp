#ifndef TOMOGRAPH_CACHE_SHARING_LOAD_PATHS_HPP
#define TOMOGRAPH_CACHE_SHARING_LOAD_PATHS_HPP

#include <array>
#include <optional>
#include <string>

#include "acquire_eviction.hpp"
#include "tomograph/session.hpp"

/// The load paths that are compared, and what other probes have found out about their caches.
namespace tomograph::cache_sharing {

/// A load path and the cache next to the SM that serves it.
struct LoadPath {
  const char* prefix;  ///< of the facts about the cache
  const char* probe;   ///< of the ids of the probes that compare it
  const char* name;    ///< several such caches, within a sentence
  chase::Path path;
};

inline constexpr LoadPath l1_data{"l1_data", "cache-sharing/l1_data.", "L1 caches", chase::Path::global_ca};
inline constexpr LoadPath read_only{"read_only", "cache-sharing/read_only.", "read-only caches",
                                    chase::Path::global_nc};
inline constexpr LoadPath texture{"texture", "cache-sharing/texture.", "texture caches", chase::Path::texture};
inline constexpr LoadPath constant_l1{"constant_l1", "cache-sharing/constant_l1.", "first constant caches",
                                      chase::Path::constant};
inline constexpr std::array load_paths{l1_data, read_only, texture, constant_l1};

[[nodiscard]] inline std::string key(const LoadPath& path, const char* name) {
  return std::string(path.prefix) + "." + name;
}

/// The size, line size or hit threshold of the cache that nobody knows: other probes failed, or were left out. Nothing
/// if all are known, or if there is no such cache.
[[nodiscard]] std::optional<std::string> missing_fact(const Session& session, const LoadPath& path);

/// A user of the cache of `path`. Nothing if its size, line size or hit threshold is not known.
[[nodiscard]] std::optional<CacheUser> known_user(const Session& session, const LoadPath& path);

}  // namespace tomograph::cache_sharing

#endif
