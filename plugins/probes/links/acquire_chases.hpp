#ifndef TOMOGRAPH_LINKS_ACQUIRE_CHASES_HPP
#define TOMOGRAPH_LINKS_ACQUIRE_CHASES_HPP

#include <vector>

#include "analysis_plateau.hpp"
#include "tomograph/remote_chase.hpp"
#include "tomograph/session.hpp"

namespace tomograph::links {

/// Chases in one place over more and more memory.
struct Chases {
  std::vector<ChasePoint> points = {};
  double clock_hz = 0;
};

/// Empty if the device does not support such a chase.
[[nodiscard]] Chases measure_chases(const Session& session, transfer::Place place, remote_chase::Operation operation);

/// Columns place, bytes and seconds, one row for each run.
[[nodiscard]] std::vector<NamedArray> columns(const std::vector<std::pair<transfer::Place, Chases>>& all);

}  // namespace tomograph::links

#endif
