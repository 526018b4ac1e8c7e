#ifndef TOMOGRAPH_STORES_EXPERIMENTS_HPP
#define TOMOGRAPH_STORES_EXPERIMENTS_HPP

#include <cstdint>
#include <vector>

#include "tomograph/experiment.hpp"

/// The experiment of this plugin as values. The arrays of requests and answers have the names of the fields.
namespace tomograph::stores {

inline constexpr const char* accesses_id = "stores.accesses/1";

/// What comes before the timed load of a line.
enum class Before {
  nothing,             ///< the line was never accessed
  load,                ///< a load of the word
  store,               ///< a store to the word
  load_then_store,     ///< a load of the word, then a store to it
  load_then_neighbour  ///< a load of the word, then a store to the next word
};

/// One thread loads a word of each of `lines` lines, `stride` bytes apart, long after what comes before
/// (ld.global.ca, st.global.wb). No line has been in the L1 before.
struct AccessesRequest {
  Before before = Before::nothing;
  std::int64_t lines = 1;
  std::int64_t stride = 128;
  std::int64_t trial = 0;
};
/// Cycles of the timed loads, by line.
struct AccessesAnswer {
  std::vector<std::int64_t> cycles;
};

[[nodiscard]] Experiment encode(const AccessesRequest& request);
/// The request in an experiment. @throws std::invalid_argument naming the parameter that is missing or out of range.
[[nodiscard]] AccessesRequest decode_accesses(const Experiment& experiment);
[[nodiscard]] Arrays encode(const AccessesAnswer& answer);
/// The answer to a request. @throws std::invalid_argument if the array is missing, of another type or length.
[[nodiscard]] AccessesAnswer decode_result(const AccessesRequest& request, const Answer& answer);

}  // namespace tomograph::stores

#endif
