#ifndef TOMOGRAPH_SHARED_MEMORY_ACQUIRE_ACCESS_TIMES_HPP
#define TOMOGRAPH_SHARED_MEMORY_ACQUIRE_ACCESS_TIMES_HPP

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis_access_time.hpp"
#include "analysis_throughput.hpp"
#include "tomograph/session.hpp"
#include "tomograph/shared_access.hpp"

/// Runs programs on shared memory and times their accesses.
namespace tomograph::shared_memory {

using shared_access::Program;

/// The access time of each program; nothing for those that the device has no room or no mode for.
/// @throws Refused if one is refused for another reason.
[[nodiscard]] std::vector<std::optional<AccessTime>> access_times(const Session& session,
                                                                  std::span<const Program> programs);

/// The same from the difference between a program and one of twice as many accesses, to which what happens once in a
/// program does not contribute. Repeated until the times are precise.
[[nodiscard]] std::vector<std::optional<AccessTime>> steady_access_times(const Session& session,
                                                                         std::span<const Program> programs);

/// As `steady_access_times`, for programs that every device with shared memory has room for. @throws Refused.
[[nodiscard]] std::vector<AccessTime> required_access_times(const Session& session, std::span<const Program> programs);

/// Publishes `fact`, a function of `times`, with the confidence that they give it, or that they scatter too much.
void publish_times(const Session& session, Fact fact, std::span<const AccessTime> times);

/// @throws Skip if the device does not answer experiments on shared memory.
void expect_shared_memory(const Session& session);

/// A column of evidence.
[[nodiscard]] inline NamedArray column(std::string name, std::vector<double> values) {
  return {std::move(name), std::move(values)};
}

}  // namespace tomograph::shared_memory

#endif
