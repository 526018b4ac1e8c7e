#ifndef TOMOGRAPH_CACHE_SHARING_TLB_SCENE_HPP
#define TOMOGRAPH_CACHE_SHARING_TLB_SCENE_HPP

#include <cstdint>
#include <vector>

#include "tlb_ground.hpp"
#include "tomograph/experiment/chase.hpp"

namespace tomograph::cache_sharing {

using Sms = std::vector<std::int64_t>;

/// Who visits pages, who walks over more than the level holds, and whose next visits are timed.
struct Scene {
  Sms walkers;  ///< one after the other
  Sms testers;
  bool idle = false;       ///< walkers load as many lines as often, on one page
  std::int64_t lines = 0;  ///< which lines of their pages testers visit
};

/// The program that plays a scene on `ground`: testers visit their pages, walkers walk, testers visit again, each load
/// timed. `trial` tells programs apart that are alike otherwise.
[[nodiscard]] chase::Program program(const Ground& ground, const Scene& scene, std::int64_t trial);

}  // namespace tomograph::cache_sharing

#endif
