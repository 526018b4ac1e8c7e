#ifndef TOMOGRAPH_STORES_QUESTIONS_HPP
#define TOMOGRAPH_STORES_QUESTIONS_HPP

#include "tomograph/session.hpp"

namespace tomograph::stores {

/// What does a store do to the L1? Publishes l1_data.write_allocates and l1_data.write_hit.
void find_l1_policy(const Session& session);

/// Do stores to one sector leave the SM as one? Publishes l1_data.write_combining.
void find_write_combining(const Session& session);

/// Does L2 keep what is stored until its line is replaced? Publishes l2.write_back.
void find_write_back(const Session& session);

}  // namespace tomograph::stores

#endif
