#ifndef TOMOGRAPH_INSTRUCTION_CACHE_QUESTIONS_HPP
#define TOMOGRAPH_INSTRUCTION_CACHE_QUESTIONS_HPP

#include "tomograph/session.hpp"

namespace tomograph::instruction_cache {

/// Which levels of cache hold instructions, how much, and what a miss costs. Publishes instruction_*.size and
/// .miss_penalty.
void find_levels(const Session& session);

/// How much code a cache fetches together. Publishes instruction_*.line_size.
void find_lines(const Session& session);

}  // namespace tomograph::instruction_cache

#endif
