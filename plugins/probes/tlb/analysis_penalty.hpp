#ifndef TOMOGRAPH_TLB_ANALYSIS_PENALTY_HPP
#define TOMOGRAPH_TLB_ANALYSIS_PENALTY_HPP

#include <vector>

#include "analysis_levels.hpp"

/// What a miss of one level costs, from visits that were made both ways. Pure functions.
namespace tomograph::tlb {

/// Cycles that visits take longer when they miss a level.
struct Penalty {
  double cycles = 0;
  double error = 0;                      ///< standard error of `cycles`
  double share = 0;                      ///< of all visits, those that count for `cycles`
  double expected = 0;                   ///< what the plateaus of the matrix say
  bool overlaps = false;                 ///< many visits hit, and noise lets them overlap with misses
  std::vector<double> differences = {};  ///< of each visit: how much longer the miss took

  /// Whether the relative standard error is below a quarter of a per cent.
  [[nodiscard]] bool is_precise() const;
};

/// The biweight location of the differences near what the matrix says of the level (analysis_biweight.hpp). Visits that
/// also missed the next level, or hit this one after all, lie elsewhere and do not move it. Where many hit and noise
/// lets them overlap with misses, the mode above them (analysis_overlap.hpp).
[[nodiscard]] Penalty penalty_of(const Level& level, std::vector<double> differences);

/// Whether enough visits agree, on what the plateaus do not contradict, for the penalty to be published.
[[nodiscard]] bool agrees(const Penalty& penalty);

}  // namespace tomograph::tlb

#endif
