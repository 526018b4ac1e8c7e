#ifndef TOMOGRAPH_L2_LINES_HPP
#define TOMOGRAPH_L2_LINES_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tomograph/abi/l2_lines.h"
#include "tomograph/experiment.hpp"

/// The experiments tomograph.l2_latency/1 and tomograph.l2_contention/1 as values. abi/l2_lines.h defines the meaning
/// of every field.
namespace tomograph::l2_lines {

inline constexpr std::int64_t page_bytes = std::int64_t{2} << 20;

/// The memory that both experiments load from.
struct Memory {
  std::int64_t pages = 1;
  std::int64_t line_size = 128;

  [[nodiscard]] std::int64_t lines_per_page() const { return page_bytes / line_size; }
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
  std::int64_t trial = 0;

  bool operator==(const Contention&) const = default;
};

struct ContentionResult {
  std::vector<double> rate;    ///< by set
  std::vector<double> cycles;  ///< by set

  bool operator==(const ContentionResult&) const = default;
};

/// The request for a program.
[[nodiscard]] Experiment encode(const Latencies& program);
[[nodiscard]] Experiment encode(const Contention& program);

/// The program of a request. Inverse of `encode`. @throws std::invalid_argument naming the parameter that is missing,
/// of the wrong type or length, or unknown.
[[nodiscard]] Latencies decode_latencies(const Experiment& experiment);
[[nodiscard]] Contention decode_contention(const Experiment& experiment);

/// The arrays that answer a program. Inverse of `decode_result`.
[[nodiscard]] Arrays encode(const LatencyResult& result);
[[nodiscard]] Arrays encode(const ContentionResult& result);

/// The result in `answer`. @throws std::invalid_argument if arrays are missing or do not fit the program.
[[nodiscard]] LatencyResult decode_result(const Latencies& program, const Answer& answer);
[[nodiscard]] ContentionResult decode_result(const Contention& program, const Answer& answer);

/// The rule of abi/l2_lines.h that a program breaks, or nothing.
[[nodiscard]] std::optional<std::string> violation(const Latencies& program);
[[nodiscard]] std::optional<std::string> violation(const Contention& program);

}  // namespace tomograph::l2_lines

#endif
