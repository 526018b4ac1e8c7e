#ifndef TOMOGRAPH_L2_PERSISTENCE_QUESTIONS_HPP
#define TOMOGRAPH_L2_PERSISTENCE_QUESTIONS_HPP

#include "tomograph/session.hpp"

namespace tomograph::l2_persistence {

/// What does setting aside a part of L2 do? Publishes l2.persistence.*.
void find_persistence(const Session& session);

}  // namespace tomograph::l2_persistence

#endif
