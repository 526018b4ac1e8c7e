#ifndef TOMOGRAPH_ATOMICS_QUESTIONS_HPP
#define TOMOGRAPH_ATOMICS_QUESTIONS_HPP

#include <cstddef>
#include <string>

#include "operations.hpp"
#include "tomograph/session.hpp"

namespace tomograph::atomics {

/// How long does an atomic of this number take, and how many do SMs execute per cycle? Publishes the facts that begin
/// with `prefix`, "atomics.global.add_u32.".
void find_atomic(const Session& session, Space space, std::size_t operation, const std::string& prefix);

}  // namespace tomograph::atomics

#endif
