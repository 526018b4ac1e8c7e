#ifndef TOMOGRAPH_CACHE_SHARING_TLB_PROGRAM_HPP
#define TOMOGRAPH_CACHE_SHARING_TLB_PROGRAM_HPP

#include <cstdint>
#include <vector>

#include "tlb_layout.hpp"
#include "tomograph/chase.hpp"

namespace tomograph::cache_sharing {

using Sms = std::vector<std::int64_t>;

/// Whose pages walkers may evict. Testers visit their pages, walkers walk over more pages than the level holds, testers
/// visit theirs again.
struct TlbTest {
  Sms walkers;  ///< one after the other
  Sms testers;
  bool idle = false;        ///< a control: walkers load as many lines as often, on one page
  std::int64_t lines = 0;   ///< which lines of their pages testers visit
  std::int64_t rounds = 1;  ///< of each walk
};

/// The program of a test, in which the last visits are timed load by load. `trial` distinguishes programs that are
/// alike otherwise.
[[nodiscard]] chase::Program program(const TlbLayout& layout, const TlbTest& test, std::int64_t trial);

}  // namespace tomograph::cache_sharing

#endif
