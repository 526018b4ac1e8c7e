#ifndef TOMOGRAPH_INSTRUCTION_CACHE_PROBES_HPP
#define TOMOGRAPH_INSTRUCTION_CACHE_PROBES_HPP

#include "tomograph/session/session.hpp"

/// One file per question.
namespace tomograph::instruction_cache {

void find_levels(const Session& session);
void find_lines(const Session& session);

}  // namespace tomograph::instruction_cache

#endif
