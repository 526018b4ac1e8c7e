#ifndef TOMOGRAPH_DIVERGENCE_HPP
#define TOMOGRAPH_DIVERGENCE_HPP

#include <cstdint>
#include <optional>
#include <string>

#include "tomograph/abi/divergence.h"
#include "tomograph/instruction.hpp"

/// The experiment tomograph.divergence/1 as a value. abi/divergence.h defines the meaning of every field.
namespace tomograph::divergence {

inline constexpr std::int64_t branches = TOMOGRAPH_DIVERGENCE_BRANCHES;

struct Program {
  std::int64_t width = 1;
  std::int64_t warps = 1;
  instruction::Body body = instruction::Body::short_body;
  std::int64_t passes = 1;
  std::int64_t repetitions = 1;
  std::int64_t trial = 0;

  bool operator==(const Program&) const = default;
};

/// The request for `program`. Inverse of `decode`.
[[nodiscard]] Experiment encode(const Program& program);

/// The program of a request. @throws std::invalid_argument naming the parameter that is missing, of the wrong type
/// or length, unknown or not defined.
[[nodiscard]] Program decode(const Experiment& experiment);

/// The runs in `answer`, the answer to `program`. @throws std::invalid_argument if arrays are missing or there is not
/// one run for each repetition.
[[nodiscard]] inline SmRuns decode_result(const Program& program, const Answer& answer) {
  return decode_sm_runs(answer, program.repetitions);
}

/// The rule that `program` breaks, of abi/divergence.h, or nothing.
[[nodiscard]] std::optional<std::string> violation(const Program& program);

}  // namespace tomograph::divergence

#endif
