#ifndef TOMOGRAPH_L2_LINES_HPP
#define TOMOGRAPH_L2_LINES_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tomograph/abi/l2_lines.h"
#include "tomograph/experiment.hpp"

/// The experiments tomograph.l2_latency/1, .l2_contention/1, .l2_eviction/1 and .l2_loads/1 as values. abi/l2_lines.h
/// defines the meaning of every field.
namespace tomograph::l2_lines {

inline constexpr std::int64_t page_bytes = std::int64_t{2} << 20;

/// The memory that the experiments load from.
struct Memory {
  std::int64_t pages = 1;
  std::int64_t line_size = 128;

  [[nodiscard]] std::int64_t lines_per_page() const { return page_bytes / line_size; }
  [[nodiscard]] std::int64_t lines() const { return pages * lines_per_page(); }
  bool operator==(const Memory&) const = default;
};

/// Latencies of lines, one by one.
struct Latencies {
  Memory memory;
  std::vector<std::int64_t> lines;
  std::vector<std::int64_t> sms;  ///< empty: all
  std::int64_t rounds = 2;
  std::int64_t trial = 0;

  bool operator==(const Latencies&) const = default;
};

struct LatencyResult {
  std::vector<std::uint32_t> latency;  ///< by SM, then by line
  std::vector<double> noise;           ///< by SM
  std::vector<double> cycles;          ///< by SM

  bool operator==(const LatencyResult&) const = default;
};

/// Rates of sets of lines.
struct Contention {
  Memory memory;
  std::vector<std::vector<std::int64_t>> sets;
  std::vector<std::int64_t> sms;  ///< empty: all
  std::int64_t warps = 1;
  std::int64_t loads = 1;
  bool atomic = false;  ///< additions in place of loads
  std::int64_t trial = 0;

  bool operator==(const Contention&) const = default;
};

struct ContentionResult {
  std::vector<double> rate;    ///< by set
  std::vector<double> cycles;  ///< by set

  bool operator==(const ContentionResult&) const = default;
};

/// Consecutive lines or places.
struct Run {
  std::int64_t first = 0;
  std::int64_t count = 1;

  bool operator==(const Run&) const = default;
};

/// Elements of all runs.
[[nodiscard]] std::int64_t size_of(const std::vector<Run>& runs);

/// Whether a walk over some lines evicts others.
struct EvictionTest {
  std::vector<Run> targets;  ///< lines
  std::vector<Run> walk;     ///< places

  bool operator==(const EvictionTest&) const = default;
};

struct Evictions {
  Memory memory;
  std::int64_t step = 1;
  std::vector<EvictionTest> tests;
  std::int64_t walks = 1;
  std::vector<std::int64_t> observers;
  std::vector<std::int64_t> walkers;
  std::int64_t limit = 0;  ///< cycles
  std::int64_t trial = 0;

  /// The line at a place.
  [[nodiscard]] std::int64_t line_at(std::int64_t place) const;
  /// Number of targets of all tests.
  [[nodiscard]] std::int64_t targets() const;
  bool operator==(const Evictions&) const = default;
};

struct EvictionResult {
  std::vector<std::uint32_t> late;     ///< targets, counted over all tests
  std::vector<std::uint32_t> latency;  ///< of these, in cycles

  bool operator==(const EvictionResult&) const = default;
};

/// Loads one or two lines at a time and notes when.
struct Loads {
  Memory memory;
  std::vector<std::int64_t> lines;
  std::int64_t width = 1;
  /// Of two lines: cycles from the first load to the second, whose latency alone counts.
  std::optional<std::int64_t> apart = {};
  std::int64_t sm = 0;
  std::int64_t rest = 1;  ///< cycles
  std::int64_t trial = 0;

  [[nodiscard]] std::size_t steps() const { return lines.size() / static_cast<std::size_t>(width); }
  bool operator==(const Loads&) const = default;
};

struct LoadsResult {
  std::vector<std::int64_t> start;     ///< by step, in cycles
  std::vector<std::uint32_t> latency;  ///< by step, in cycles
  double seconds = 0;
  std::int64_t cycles = 0;  ///< in these seconds

  bool operator==(const LoadsResult&) const = default;
};

/// The request for a program.
[[nodiscard]] Experiment encode(const Latencies& program);
[[nodiscard]] Experiment encode(const Contention& program);
[[nodiscard]] Experiment encode(const Evictions& program);
[[nodiscard]] Experiment encode(const Loads& program);

/// The program of a request. Inverse of `encode`. @throws std::invalid_argument naming the parameter that is missing,
/// of the wrong type or length, or unknown.
[[nodiscard]] Latencies decode_latencies(const Experiment& experiment);
[[nodiscard]] Contention decode_contention(const Experiment& experiment);
[[nodiscard]] Evictions decode_evictions(const Experiment& experiment);
[[nodiscard]] Loads decode_loads(const Experiment& experiment);

/// The arrays that answer a program. Inverse of `decode_result`.
[[nodiscard]] Arrays encode(const LatencyResult& result);
[[nodiscard]] Arrays encode(const ContentionResult& result);
[[nodiscard]] Arrays encode(const EvictionResult& result);
[[nodiscard]] Arrays encode(const LoadsResult& result);

/// The result in `answer`. @throws std::invalid_argument if arrays are missing or do not fit the program.
[[nodiscard]] LatencyResult decode_result(const Latencies& program, const Answer& answer);
[[nodiscard]] ContentionResult decode_result(const Contention& program, const Answer& answer);
[[nodiscard]] EvictionResult decode_result(const Evictions& program, const Answer& answer);
[[nodiscard]] LoadsResult decode_result(const Loads& program, const Answer& answer);

/// The rule of abi/l2_lines.h that a program breaks, or nothing.
[[nodiscard]] std::optional<std::string> violation(const Latencies& program);
[[nodiscard]] std::optional<std::string> violation(const Contention& program);
[[nodiscard]] std::optional<std::string> violation(const Evictions& program);
[[nodiscard]] std::optional<std::string> violation(const Loads& program);

}  // namespace tomograph::l2_lines

#endif
