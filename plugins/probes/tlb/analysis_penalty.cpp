#include "analysis_penalty.hpp"

#include <algorithm>
#include <utility>

#include "analysis_biweight.hpp"
#include "analysis_overlap.hpp"

namespace tomograph::tlb {

bool Penalty::is_precise() const {
  // Four such errors are the 1 % that the published interval allows for systematic effects.
  constexpr double precise = 0.0025;
  return share > 0 && error < precise * cycles;
}

Penalty penalty_of(const Level& level, std::vector<double> differences) {
  // A difference of two visits that lies 8 deviations of one visit away, 5.7 of its own, has probability 1e-8.
  constexpr double deviations = 8;
  const double expected = level.miss - level.hit;
  const double near = std::max(deviations * level.noise, expected / 4);
  if (!level.sharp()) {
    // Fewer hits may as well be a tail of the misses, and hardly move a biweight. Chosen by hand.
    constexpr double few = 0.1;
    const UpperMode misses = upper_mode(differences, -near, expected + near, expected, level.noise);
    if (misses.below > few) {
      return {misses.location, misses.error, misses.share, expected, true, std::move(differences)};
    }
  }
  const Biweight found = biweight_near(differences, expected, near);
  return {found.location, found.error, found.share, expected, false, std::move(differences)};
}

bool agrees(const Penalty& penalty) {
  // The main part of the visits, where two other parts may be as large. Chosen by hand.
  constexpr double least_share = 0.25;
  // Of what the plateaus say: midway between a miss and none. Pages stay in a level of more entries than were counted.
  constexpr double least_cycles = 0.5;
  return penalty.share >= least_share && penalty.cycles > least_cycles * penalty.expected;
}

}  // namespace tomograph::tlb
