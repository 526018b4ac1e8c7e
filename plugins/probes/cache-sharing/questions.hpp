#ifndef TOMOGRAPH_CACHE_SHARING_QUESTIONS_HPP
#define TOMOGRAPH_CACHE_SHARING_QUESTIONS_HPP

#include <cstdint>

#include "load_paths.hpp"
#include "tomograph/session.hpp"

/// Which load paths share a cache, how many of each cache an SM has, and which SMs share one.
namespace tomograph::cache_sharing {

/// "shared_with" of every load path.
void find_sharing(const Session& session);

/// "constant_l15.shared_with": whether the second level of constant caches holds instructions, too.
void find_constant_sharing(const Session& session);

/// "per_sm" of the cache that serves `path`.
void find_instances(const Session& session, const LoadPath& path);

/// "sm_groups" and "sms_per_instance" of the cache that serves `path`.
void find_sm_groups(const Session& session, const LoadPath& path);

/// "constant_l15.sm_groups" and "constant_l15.sms_per_instance".
void find_constant_groups(const Session& session);

/// "sm_groups" and "sms_per_instance" of a level of TLB. Level 1 is the one next to the SM.
void find_tlb_groups(const Session& session, std::int64_t level);

}  // namespace tomograph::cache_sharing

#endif
