#ifndef TOMOGRAPH_COMPUTE_CAPABILITY_HPP
#define TOMOGRAPH_COMPUTE_CAPABILITY_HPP

#include <charconv>
#include <string>

#include "tomograph/session.hpp"

namespace tomograph {

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
