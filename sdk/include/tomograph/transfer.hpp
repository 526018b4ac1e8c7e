#ifndef TOMOGRAPH_TRANSFER_HPP
#define TOMOGRAPH_TRANSFER_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tomograph/abi/transfer.h"
#include "tomograph/experiment.hpp"

/// The experiment tomograph.transfer/1 as a value. abi/transfer.h defines the meaning of every field.
namespace tomograph::transfer {

/// Number of a GPU, or one of the host's memories.
using Place = std::int64_t;
inline constexpr Place pinned = TOMOGRAPH_PINNED;
inline constexpr Place pageable = TOMOGRAPH_PAGEABLE;
inline constexpr Place managed = TOMOGRAPH_MANAGED;
[[nodiscard]] constexpr bool is_gpu(Place place) { return place >= 0; }

enum class Engine : std::int64_t { copy_engine = TOMOGRAPH_COPY_ENGINE, sms = TOMOGRAPH_SMS };

/// Bytes of a transfer are a multiple of this.
inline constexpr std::int64_t granule = 4096;
inline constexpr std::int64_t maximum_passes = 256;

struct Route {
  Place from = 0;
  Place to = 0;

  bool operator==(const Route&) const = default;
};

struct Program {
  std::vector<Route> routes = {};
  Engine engine = Engine::copy_engine;
  std::int64_t bytes = granule;
  std::int64_t passes = 1;
  std::int64_t ctas_per_sm = 1;
  std::int64_t trial = 0;

  bool operator==(const Program&) const = default;
};

struct Result {
  std::vector<double> elapsed_ns = {};  ///< by route

  /// Seconds that one pass of a route took.
  [[nodiscard]] double seconds(const Program& program, std::size_t route) const;
  /// Bytes per second of a route.
  [[nodiscard]] double rate(const Program& program, std::size_t route) const;
};

/// The request for `program`. Inverse of `decode`.
[[nodiscard]] Experiment encode(const Program& program);

/// The program of a request. @throws std::invalid_argument naming the parameter that is missing, of the wrong type or
/// length, unknown or not defined.
[[nodiscard]] Program decode(const Experiment& experiment);

/// The rule of abi/transfer.h that `program` breaks on any device, or nothing.
[[nodiscard]] std::optional<std::string> violation(const Program& program);

/// The arrays that answer a program. Inverse of `decode_result`.
[[nodiscard]] Arrays encode(const Result& result);

/// The result in `answer`. @throws std::invalid_argument if it does not have one positive time for each route.
[[nodiscard]] Result decode_result(const Program& program, const Answer& answer);

}  // namespace tomograph::transfer

#endif
