#ifndef TOMOGRAPH_ATOMICS_EXPERIMENTS_HPP
#define TOMOGRAPH_ATOMICS_EXPERIMENTS_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include "operations.hpp"
#include "tomograph/experiment.hpp"

/// The experiments of this plugin as values. The arrays of requests and answers have the names of the fields. Both
/// execute one CTA on each SM, which warms up and then does `laps` laps, and again `longer` times as many.
namespace tomograph::atomics {

inline constexpr const char* latency_id = "atomics.latency/1";
inline constexpr const char* throughput_id = "atomics.throughput/1";

/// One thread of each SM executes atomics of which each has the result of the one before as its operand.
struct LatencyRequest {
  Space space = Space::global;
  std::size_t operation = 0;  ///< index in `operations`
  std::int64_t laps = 1;      ///< of `chain_of_lap` atomics
  std::int64_t trial = 0;
};

/// Warps execute independent atomics.
struct ThroughputRequest {
  Space space = Space::global;
  std::size_t operation = 0;  ///< index in `operations`
  bool returns = true;        ///< atom, or else red
  Place place = Place::own;
  std::int64_t lanes_per_word = 1;  ///< neighbouring lanes that use the same word
  std::int64_t warps = 1;
  bool alone = false;     ///< the CTA whose number is `trial` works, or else all of them at the same time
  std::int64_t laps = 1;  ///< of `atomics_of_lap` atomics
  std::int64_t trial = 0;
};

/// Cycles of each CTA that works for the shorter and for the longer run; -1 where CTAs could not start together.
struct TimesAnswer {
  std::vector<std::int64_t> few;
  std::vector<std::int64_t> many;
};

[[nodiscard]] Experiment encode(const LatencyRequest& request);
[[nodiscard]] Experiment encode(const ThroughputRequest& request);
/// The request in an experiment. @throws std::invalid_argument naming the parameter that is missing or out of range.
[[nodiscard]] LatencyRequest decode_latency(const Experiment& experiment);
[[nodiscard]] ThroughputRequest decode_throughput(const Experiment& experiment);
[[nodiscard]] Arrays encode(const TimesAnswer& answer);
/// The answer to a request. @throws std::invalid_argument if arrays are missing, empty, of another type or length.
[[nodiscard]] TimesAnswer decode_result(const LatencyRequest& request, const Answer& answer);
[[nodiscard]] TimesAnswer decode_result(const ThroughputRequest& request, const Answer& answer);

}  // namespace tomograph::atomics

#endif
