#ifndef TOMOGRAPH_COMPUTE_CAPABILITY_HPP
#define TOMOGRAPH_COMPUTE_CAPABILITY_HPP

#include <charconv>
#include <optional>
#include <string>

#include "tomograph/session.hpp"

namespace tomograph {

/// The GPU's compute capability, times 10, by the fact device.compute_capability, an optional need of the probe.
/// Nothing if it is not known.
inline std::optional<int> compute_capability(const Session& session) {
  const auto text = session.fact<std::string>("device.compute_capability");
  if (!text) return std::nullopt;
  int major = 0;
  int minor = 0;
  const char* end = text->data() + text->size();
  const auto read = std::from_chars(text->data(), end, major);
  if (read.ptr != end) std::from_chars(read.ptr + 1, end, minor);
  return 10 * major + minor;
}

/// Passes if the fact device.compute_capability, an optional need of the probe, is at least `major`.0 or not known.
/// @throws Skip otherwise.
inline void expect_compute_capability(const Session& session, int major) {
  const auto capability = session.fact<std::string>("device.compute_capability");
  int own = major;
  if (capability) std::from_chars(capability->data(), capability->data() + capability->size(), own);
  if (own < major) throw Skip("device", "needs compute capability " + std::to_string(major) + ".0");
}

}  // namespace tomograph

#endif
