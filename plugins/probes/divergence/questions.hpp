#ifndef TOMOGRAPH_DIVERGENCE_QUESTIONS_HPP
#define TOMOGRAPH_DIVERGENCE_QUESTIONS_HPP

#include "tomograph/session.hpp"

namespace tomograph::divergence {

/// What it costs when neighbouring threads follow different branches. Publishes divergence.*.
void find_branch_width(const Session& session);

}  // namespace tomograph::divergence

#endif
