#ifndef TOMOGRAPH_SOURCE_CACHE_LEVEL_BETWEEN_HPP
#define TOMOGRAPH_SOURCE_CACHE_LEVEL_BETWEEN_HPP

#include <optional>
#include <span>
#include <vector>

#include "tomograph/analysis/latency_modes.hpp"
#include "tomograph/cache/subject.hpp"

namespace tomograph::cache {

/// A cache between the subject and the level that `beyond` reaches, as one that several SMs share.
struct LevelBetween {
  std::vector<double> loads;  ///< that it serves
  analysis::Threshold threshold;
};

/// Walks over ever more lines, until most of them miss the subject. If these loads take less than first loads of the
/// same lines, which `beyond` has brought into the next level, a level between serves them. `hits` are loads that the
/// subject serves. Nothing also if a device refuses the walks: recordings may not know them.
[[nodiscard]] std::optional<LevelBetween> level_between(const Executor& execute, const Subject& subject,
                                                        chase::Path beyond, std::span<const double> hits);

}  // namespace tomograph::cache

#endif
