#ifndef TOMOGRAPH_L2_PERSISTENCE_EXPERIMENTS_HPP
#define TOMOGRAPH_L2_PERSISTENCE_EXPERIMENTS_HPP

#include <cstdint>
#include <vector>

#include "tomograph/experiment.hpp"

/// The experiment of this plugin as values. The arrays of requests and answers have the names of the fields.
namespace tomograph::l2_persistence {

inline constexpr const char* loads_id = "l2-persistence.loads/1";

/// `set_aside` bytes of L2 are reserved for persisting lines, all of which are first made normal ones. All SMs
/// load twice as many bytes as L2 has, so that it holds nothing else, then
/// `persisting` bytes as persisting lines, then `normal` other bytes as normal ones, each once. Then one thread times
/// `samples` loads of lines spread over the former or the latter, one after the other. At last nothing is
/// reserved any more.
struct LoadsRequest {
  std::int64_t set_aside = 0;
  std::int64_t persisting = 0;
  std::int64_t normal = 0;
  bool samples_normal = false;
  std::int64_t samples = 1;
  std::int64_t trial = 0;  ///< the first line
};
/// Cycles of each sampled load.
struct LoadsAnswer {
  std::vector<std::int64_t> cycles;
};

[[nodiscard]] Experiment encode(const LoadsRequest& request);
/// The request in an experiment. @throws std::invalid_argument naming the parameter that is missing or out of range.
[[nodiscard]] LoadsRequest decode_loads(const Experiment& experiment);
[[nodiscard]] Arrays encode(const LoadsAnswer& answer);
/// The answer to a request. @throws std::invalid_argument if the array is missing, of another type or length.
[[nodiscard]] LoadsAnswer decode_result(const LoadsRequest& request, const Answer& answer);

}  // namespace tomograph::l2_persistence

#endif
