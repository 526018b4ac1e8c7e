#ifndef TOMOGRAPH_L2_SLICES_QUESTIONS_HPP
#define TOMOGRAPH_L2_SLICES_QUESTIONS_HPP

#include "tomograph/session.hpp"

namespace tomograph::l2_slices {

/// Publishes the facts of the probe l2-slices/slices.
void find_slices(const Session& session);

}  // namespace tomograph::l2_slices

#endif
