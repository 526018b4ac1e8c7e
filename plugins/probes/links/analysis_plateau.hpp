#ifndef TOMOGRAPH_LINKS_ANALYSIS_PLATEAU_HPP
#define TOMOGRAPH_LINKS_ANALYSIS_PLATEAU_HPP

#include <optional>
#include <span>
#include <vector>

/// The latency of a link, from chases over more and more memory. Pure functions.
namespace tomograph::links {

/// Chases over so many bytes.
struct ChasePoint {
  double bytes = 0;
  std::vector<double> seconds = {};  ///< of an access, by run, at least one
};

/// The latency that the chases over least memory have in common.
struct Plateau {
  std::size_t points = 0;
  double bytes = 0;                  ///< the most memory that has it
  std::vector<double> seconds = {};  ///< of all its runs
};

/// The points from the first on, as long as undisturbed runs of each take what those of the first do, within 3 % or
/// within what they are known to: what more memory adds are misses of TLBs. Nothing if there are fewer than three.
/// `points` ascend by `bytes`.
[[nodiscard]] std::optional<Plateau> plateau(std::span<const ChasePoint> points);

}  // namespace tomograph::links

#endif
