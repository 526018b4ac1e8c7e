#ifndef TOMOGRAPH_CONSTANT_CACHE_QUESTIONS_HPP
#define TOMOGRAPH_CONSTANT_CACHE_QUESTIONS_HPP

#include "tomograph/cache/questions.hpp"

/// The two levels of constant caches, and the questions about them that tomograph/cache/questions.hpp does not have.
namespace tomograph::constant_cache {

inline constexpr cache::Level l1{.prefix = "constant_l1",
                                 .probe = "constant-cache/l1.",
                                 .name = "the constant L1",
                                 .scope = TOMOGRAPH_PER_SM,
                                 .path = chase::Path::constant,
                                 .behind = std::nullopt,
                                 .next = "the constant L1.5",
                                 .disturbed = true,
                                 .reach = "constant_memory.reach"};
/// A load that L1.5 misses is one that L1 missed as well.
inline constexpr cache::Level l15{.prefix = "constant_l15",
                                  .probe = "constant-cache/l15.",
                                  .name = "the constant L1.5",
                                  .scope = TOMOGRAPH_PER_SM,
                                  .path = chase::Path::constant,
                                  .behind = std::nullopt,
                                  .above = &l1,
                                  .disturbed = true,
                                  .reach = "constant_memory.reach"};

/// The latencies of both levels and of what lies behind them, and how many constants a program can load.
void find_latencies(const Session& session);
/// Line, capacity, sets, ways and index of the second level.
void find_l15_organisation(const Session& session);

}  // namespace tomograph::constant_cache

#endif
