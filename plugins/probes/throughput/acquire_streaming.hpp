#ifndef TOMOGRAPH_THROUGHPUT_ACQUIRE_STREAMING_HPP
#define TOMOGRAPH_THROUGHPUT_ACQUIRE_STREAMING_HPP

#include <optional>
#include <span>
#include <vector>

#include "acquire_search.hpp"
#include "tomograph/session.hpp"

/// What the measurements of all levels have in common: the device, and what they need to know of it.
namespace tomograph::throughput {

/// Executes on the session's device. @throws Skip if the device cannot stream.
[[nodiscard]] Execute executor(const Session& session);

/// SMs and threads of the device.
[[nodiscard]] Bounds bounds_of(const Session& session);

/// Bytes of L2 as measured, else as an interface reports; nothing if neither is known.
[[nodiscard]] std::optional<std::int64_t> l2_bytes(const Session& session);

/// Bytes per second of all SMs.
[[nodiscard]] double of_device(const streaming::Result& result);
/// Bytes per cycle of the median SM.
[[nodiscard]] double of_sm(const streaming::Result& result);

/// The surface of the search for `base` in each of these distributions over SMs, between which hill climbing rarely
/// crosses.
[[nodiscard]] std::vector<streaming::Program> surfaces(const streaming::Program& base, const Bounds& bounds,
                                                       std::span<const streaming::Distribution> distributions);

}  // namespace tomograph::throughput

#endif
