#ifndef TOMOGRAPH_SM_RUNS_HPP
#define TOMOGRAPH_SM_RUNS_HPP

#include <cstdint>
#include <vector>

#include "tomograph/experiment.hpp"

namespace tomograph {

/// The run of one SM in an experiment that fills SMs with CTAs.
struct SmRun {
  std::uint32_t cycles = 0;      ///< from the start of the first CTA to the end of the last
  std::uint32_t sm = 0;          ///< its number
  std::uint32_t ctas = 0;        ///< CTAs that ran on the SM
  std::uint32_t concurrent = 0;  ///< largest number of CTAs at the same time

  bool operator==(const SmRun&) const = default;
};

/// The result of tomograph.instruction/1 and tomograph.divergence/1. abi/instruction.h defines the fields.
struct SmRuns {
  std::vector<SmRun> runs;        ///< one per repetition
  std::int64_t instructions = 0;  ///< instructions that each thread executed

  bool operator==(const SmRuns&) const = default;
};

/// The arrays that answer an experiment. Inverse of `decode_sm_runs`.
[[nodiscard]] Arrays encode(const SmRuns& runs);

/// The runs in `answer`. @throws std::invalid_argument if arrays are missing or their lengths are not `repetitions`.
[[nodiscard]] SmRuns decode_sm_runs(const Answer& answer, std::int64_t repetitions);

}  // namespace tomograph

#endif
