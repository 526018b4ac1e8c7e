#ifndef TOMOGRAPH_REMOTE_CHASE_HPP
#define TOMOGRAPH_REMOTE_CHASE_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tomograph/abi/remote_chase.h"
#include "tomograph/experiment.hpp"
#include "tomograph/transfer.hpp"

/// The experiment tomograph.remote_chase/1 as a value. abi/remote_chase.h defines the meaning of every field.
namespace tomograph::remote_chase {

enum class Operation : std::int64_t { load = TOMOGRAPH_REMOTE_LOAD, atomic = TOMOGRAPH_REMOTE_ATOMIC };

struct Program {
  transfer::Place place = transfer::pinned;
  Operation operation = Operation::load;
  std::int64_t nodes = 2;
  std::int64_t stride = 8;
  std::int64_t steps = 1;
  std::int64_t runs = 1;
  std::int64_t trial = 0;

  bool operator==(const Program&) const = default;
};

struct Result {
  std::vector<double> cycles = {};  ///< by run
  double clock_hz = 0;

  /// Seconds of one access, by run.
  [[nodiscard]] std::vector<double> seconds(const Program& program) const;
};

/// The request for `program`. Inverse of `decode`.
[[nodiscard]] Experiment encode(const Program& program);

/// The program of a request. @throws std::invalid_argument naming the parameter that is missing, of the wrong type or
/// length, unknown or not defined.
[[nodiscard]] Program decode(const Experiment& experiment);

/// The rule of abi/remote_chase.h that `program` breaks on any device, or nothing.
[[nodiscard]] std::optional<std::string> violation(const Program& program);

/// The arrays that answer a program. Inverse of `decode_result`.
[[nodiscard]] Arrays encode(const Result& result);

/// The result in `answer`. @throws std::invalid_argument if it does not have one time for each run, and a clock.
[[nodiscard]] Result decode_result(const Program& program, const Answer& answer);

}  // namespace tomograph::remote_chase

#endif
