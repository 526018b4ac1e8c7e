#ifndef TOMOGRAPH_ANALYSIS_AGREEMENT_HPP
#define TOMOGRAPH_ANALYSIS_AGREEMENT_HPP

#include "tomograph/analysis/interval.hpp"

/// Facts that imply one another: sets x ways x line and the size, entries and the ways of all sets.
namespace tomograph::analysis {

/// What one fact says of a quantity, in the quantity's unit.
struct Statement {
  Interval range;         ///< a single point if it is exact
  double confidence = 0;  ///< probability that the quantity lies there
};

/// Whether the ranges have a point in common.
[[nodiscard]] bool agree(const Statement& one, const Statement& other);

/// The confidence of `own` beside another statement about the same quantity: unchanged if they agree. Otherwise one of
/// them is wrong. If errors are independent, `own` is right with probability
///   P = c (1 - c') / (1 - c c'),   c and c' the confidences,
/// but never more than one half beside a statement at 0.99 or more, so that no two certain facts disagree.
[[nodiscard]] double confidence_beside(const Statement& own, const Statement& other);

}  // namespace tomograph::analysis

#endif
