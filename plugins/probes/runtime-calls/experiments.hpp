#ifndef TOMOGRAPH_RUNTIME_CALLS_EXPERIMENTS_HPP
#define TOMOGRAPH_RUNTIME_CALLS_EXPERIMENTS_HPP

#include <cstdint>
#include <vector>

#include "tomograph/experiment.hpp"

/// The experiments of this plugin as values. The arrays of requests and answers have the names of the fields.
namespace tomograph::runtime_calls {

inline constexpr const char* starts_id = "runtime-calls.starts/1";
inline constexpr const char* moves_id = "runtime-calls.moves/1";

/// `kernels` kernels of one thread, each after the one before: launched one by one, or as a graph. The first and the
/// last one write to page-locked memory of the host, which waits for both words and then synchronises. `runs` times,
/// after one run that does not count. Each trial uses another one of the host's processors, in turn.
struct StartsRequest {
  bool graph = false;
  bool held = false;  ///< the first kernel waits for the return of the last call; not for graphs
  std::int64_t kernels = 1;
  std::int64_t runs = 1;
  std::int64_t trial = 0;
};
/// Nanoseconds of the host's clock from the begin of the first call, one element for each run.
struct StartsAnswer {
  std::vector<double> called;        ///< until the last call returned
  std::vector<double> first_seen;    ///< until the host saw the word of the first kernel
  std::vector<double> last_seen;     ///< until it saw the word of the last one
  std::vector<double> synchronised;  ///< until synchronising returned
};

/// The runtime copies `bytes` within the GPU's memory, or sets them, `passes` times back to back.
struct MovesRequest {
  bool copies = true;
  std::int64_t bytes = 0;
  std::int64_t passes = 1;
  std::int64_t trial = 0;
};
/// Nanoseconds by events of the GPU.
struct MovesAnswer {
  double elapsed = 0;
};

[[nodiscard]] Experiment encode(const StartsRequest& request);
[[nodiscard]] Experiment encode(const MovesRequest& request);
/// The request in an experiment. @throws std::invalid_argument naming the parameter that is missing or out of range.
[[nodiscard]] StartsRequest decode_starts(const Experiment& experiment);
[[nodiscard]] MovesRequest decode_moves(const Experiment& experiment);
[[nodiscard]] Arrays encode(const StartsAnswer& answer);
[[nodiscard]] Arrays encode(const MovesAnswer& answer);
/// The answer to a request. @throws std::invalid_argument if an array is missing, of another type or length.
[[nodiscard]] StartsAnswer decode_result(const StartsRequest& request, const Answer& answer);
[[nodiscard]] MovesAnswer decode_result(const MovesRequest& request, const Answer& answer);

}  // namespace tomograph::runtime_calls

#endif
