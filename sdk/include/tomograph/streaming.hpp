#ifndef TOMOGRAPH_STREAMING_HPP
#define TOMOGRAPH_STREAMING_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tomograph/abi/streaming.h"
#include "tomograph/experiment.hpp"

/// The streaming experiment as a value. abi/streaming.h defines the meaning of every field.
namespace tomograph::streaming {

enum class Operation : std::int64_t {
  read = TOMOGRAPH_STREAM_READ,
  write = TOMOGRAPH_STREAM_WRITE,
  copy = TOMOGRAPH_STREAM_COPY,
};
enum class Load : std::int64_t {
  ca = TOMOGRAPH_STREAM_CA,
  cg = TOMOGRAPH_STREAM_CG,
  nc = TOMOGRAPH_STREAM_NC,
  texture = TOMOGRAPH_STREAM_TEXTURE,
  constant = TOMOGRAPH_STREAM_CONSTANT,
};
enum class Distribution : std::int64_t {
  interleaved = TOMOGRAPH_STREAM_INTERLEAVED,
  sliced = TOMOGRAPH_STREAM_SLICED,
  queued = TOMOGRAPH_STREAM_QUEUED,
};

/// The device's default carve-out, lanes of a warp, and threads of the largest CTA of CUDA.
inline constexpr std::int64_t default_carveout = -1;
inline constexpr std::int64_t warp_threads = 32;
inline constexpr std::int64_t maximum_threads = 1024;

struct Program {
  Operation operation = Operation::read;
  Load load = Load::cg;
  std::int64_t element = 16;
  std::int64_t ilp = 1;
  std::int64_t threads = 256;
  std::int64_t ctas_per_sm = 1;
  std::vector<std::int64_t> sms = {};  ///< empty: all
  std::int64_t bytes = 0;
  Distribution distribution = Distribution::interleaved;
  std::int64_t warm_passes = 1;
  std::int64_t passes = 1;
  std::int64_t carveout = default_carveout;
  std::int64_t trial = 0;

  bool operator==(const Program&) const = default;
};

struct Result {
  double elapsed_ns = 0;
  std::vector<double> cycles = {};  ///< by SM
  double clock_hz = 0;
  std::int64_t moved = 0;
  std::int64_t footprint = 0;
  std::int64_t ctas_per_sm = 0;

  /// Bytes per second, all SMs together.
  [[nodiscard]] double bandwidth() const { return static_cast<double>(moved) / (elapsed_ns * 1e-9); }
  /// Bytes per cycle of each SM. Not valid for a queued footprint, of which SMs move different numbers of bytes.
  [[nodiscard]] std::vector<double> bytes_per_cycle() const;
};

/// Bytes read plus bytes written for each byte of the footprint: 2 for a copy, else 1.
[[nodiscard]] std::int64_t bytes_moved_per_byte(Operation operation);

/// Bytes that all passes of `program` move on `sms` SMs with `ctas_per_sm` CTAs each, if the footprint has `footprint`
/// bytes.
[[nodiscard]] std::int64_t bytes_moved(const Program& program, std::int64_t footprint, std::int64_t ctas_per_sm,
                                       std::int64_t sms);

/// The footprint of `program`, rounded down to whole turns of `ctas_per_sm` CTAs on each of `sms` SMs, one at least.
[[nodiscard]] std::int64_t rounded_footprint(const Program& program, std::int64_t ctas_per_sm, std::int64_t sms);

/// Largest number of bytes that loads (stores, for writes) request at the same time.
[[nodiscard]] std::int64_t bytes_in_flight(const Program& program, std::int64_t ctas_per_sm, std::int64_t sms);

/// The request for `program`. Inverse of `decode`.
[[nodiscard]] Experiment encode(const Program& program);

/// The program of a request. @throws std::invalid_argument naming the parameter that is missing, of the wrong type or
/// length, or unknown.
[[nodiscard]] Program decode(const Experiment& experiment);

/// The rule of abi/streaming.h that `program` breaks on any device (an element of 3 bytes, no passes, ...), or nothing.
[[nodiscard]] std::optional<std::string> violation(const Program& program);

/// The arrays that answer a program. Inverse of `decode_result`.
[[nodiscard]] Arrays encode(const Result& result);

/// The result in `answer`. @throws std::invalid_argument if arrays are missing, of another type or length.
[[nodiscard]] Result decode_result(const Answer& answer);
[[nodiscard]] inline Result decode_result(const Program& /*program*/, const Answer& answer) {
  return decode_result(answer);
}

}  // namespace tomograph::streaming

#endif
