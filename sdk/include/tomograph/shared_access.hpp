#ifndef TOMOGRAPH_SHARED_ACCESS_HPP
#define TOMOGRAPH_SHARED_ACCESS_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tomograph/abi/shared_access.h"
#include "tomograph/experiment.hpp"

/// The shared-memory experiment as a value. abi/shared_access.h defines the meaning of every field.
namespace tomograph::shared_access {

enum class Operation : std::int64_t {
  load = TOMOGRAPH_SHARED_LOAD,
  copy = TOMOGRAPH_SHARED_COPY,
  store = TOMOGRAPH_SHARED_STORE,
};

/// Lanes of a warp, warps of the largest CTA of CUDA, and the bank mode that leaves banks as they are.
inline constexpr std::int64_t warp_lanes = 32;
inline constexpr std::int64_t most_warps = 32;
inline constexpr std::int64_t default_mode = 0;

struct Program {
  std::vector<std::int64_t> offsets = {0};
  std::int64_t width = 4;
  Operation operation = Operation::load;
  std::int64_t streams = 1;
  std::int64_t accesses = 0;
  std::int64_t warps = 1;
  std::int64_t ctas = 1;
  std::int64_t stream_shift = 0;
  std::int64_t warp_shift = 0;
  std::int64_t store_shift = 0;
  std::int64_t bytes = 0;
  std::int64_t mode = default_mode;
  std::int64_t trial = 0;

  bool operator==(const Program&) const = default;
};

/// The result of a program. Cycles include the overhead.
struct Result {
  std::vector<double> cycles;  ///< of each SM
  double overhead = 0;
};

/// `lanes` offsets, `stride` bytes apart, the first one 0.
[[nodiscard]] std::vector<std::int64_t> strided(std::int64_t lanes, std::int64_t stride);

/// End of the highest word that `program` loads, or stores without loading, in bytes.
[[nodiscard]] std::int64_t load_end(const Program& program);

/// The request for `program`. Inverse of `decode`.
[[nodiscard]] Experiment encode(const Program& program);

/// The program of a request. @throws std::invalid_argument naming the parameter that is missing, of the wrong type
/// or length, or unknown.
[[nodiscard]] Program decode(const Experiment& experiment);

/// The rule of abi/shared_access.h that `program` breaks on any device (an offset outside its memory, misaligned,
/// stores that overlap loads, ...), or nothing.
[[nodiscard]] std::optional<std::string> violation(const Program& program);

/// The arrays that answer a program. Inverse of `decode_result`.
[[nodiscard]] Arrays encode(const Result& result);

/// The result in `answer`. @throws std::invalid_argument if arrays are missing, of another type or empty.
[[nodiscard]] Result decode_result(const Answer& answer);
[[nodiscard]] inline Result decode_result(const Program& /*program*/, const Answer& answer) {
  return decode_result(answer);
}

}  // namespace tomograph::shared_access

#endif
