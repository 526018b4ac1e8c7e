#ifndef TOMOGRAPH_SHARED_MEMORY_ACCESSES_HPP
#define TOMOGRAPH_SHARED_MEMORY_ACCESSES_HPP

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tomograph/session/session.hpp"
#include "tomograph/experiment/shared_access.hpp"

/// What the probes of shared memory have in common. One file per question.
namespace tomograph::shared_memory {

using shared_access::Program;

inline constexpr std::int64_t word = 4;

/// Cycles that one access of every stream takes.
struct Pace {
  double cycles = 0;  ///< median over SMs and trials
  double low = 0;     ///< the least and the most of these
  double high = 0;
  std::size_t samples = 0;
  double openness = 0;  ///< half of the interval that covers the median, as a share of it
};

/// The pace of each program; nothing for those that the device has no room or no mode for.
/// @throws Refused if one is refused for another reason.
[[nodiscard]] std::vector<std::optional<Pace>> pace(const Session& session, std::span<const Program> programs);

/// As `pace`, from the difference between a program and the same one of twice as many accesses, which what happens once
/// in a program does not change. Repeated where there are too few SMs, or where they scatter.
[[nodiscard]] std::vector<std::optional<Pace>> steady_pace(const Session& session, std::span<const Program> programs);

/// As `steady_pace`, for programs that every device with shared memory has room for. @throws Refused.
[[nodiscard]] std::vector<Pace> certain_pace(const Session& session, std::span<const Program> programs);

/// Publishes `fact`, which says what `paces` are, with the confidence that they give it, or that they scatter too much
/// to tell.
void publish_paces(const Session& session, Fact fact, std::span<const Pace> paces);

/// @throws Skip if the device does not answer experiments on shared memory.
void expect_shared_memory(const Session& session);

/// Evidence columns.
[[nodiscard]] inline NamedArray column(std::string name, std::vector<double> values) {
  return {std::move(name), std::move(values)};
}

void find_sizes(const Session& session);
void find_latency(const Session& session);
void find_banks(const Session& session);
void find_throughput(const Session& session);

}  // namespace tomograph::shared_memory

#endif
