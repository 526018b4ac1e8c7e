#ifndef TOMOGRAPH_CACHE_SHARING_TLB_GROUND_HPP
#define TOMOGRAPH_CACHE_SHARING_TLB_GROUND_HPP

#include <cstdint>
#include <string>

#include "tomograph/experiment/chase.hpp"
#include "tomograph/session/session.hpp"

namespace tomograph::cache_sharing {

/// Where the pages of testers lie, those that push these out of the levels before, and those that evict them. Each
/// tester has a slot of pages of its own.
struct Ground {
  std::int64_t line = 0;
  std::int64_t pages = 0;    ///< of a slot
  std::int64_t testers = 0;  ///< in one program, so many that the level holds the pages of all for sure
  std::int64_t fillers = 0;  ///< pages of all testers that push the others out of the levels before; 0 for the first
  std::int64_t stride = 0;   ///< from one of these pages to the next
  std::int64_t walk = 0;     ///< pages of a walker, more than the level has entries
  std::int64_t span = 0;     ///< from one of these to the next
  double penalty = 0;        ///< of a miss, cycles

  [[nodiscard]] std::int64_t start_of_slot(std::int64_t slot) const { return slot * pages * stride; }
  [[nodiscard]] std::int64_t start_of_fillers() const { return start_of_slot(testers); }
  [[nodiscard]] std::int64_t start_of_walk() const {
    return (start_of_fillers() + fillers * stride + span - 1) / span * span;
  }
  [[nodiscard]] std::int64_t bytes() const {
    const std::int64_t all = start_of_walk() + walk * (span + line);
    return (all + chase::array_alignment - 1) / chase::array_alignment * chase::array_alignment;
  }
};

/// Why there is no ground that does.
struct TooLittle {
  std::string reason;
};

/// The slot of an SM, always the same one.
[[nodiscard]] inline std::int64_t slot_of(const Ground& ground, std::int64_t sm) { return sm % ground.testers; }

/// Ground for a level with so many entries, from the facts about it and the levels before it. @throws TooLittle.
[[nodiscard]] Ground find_ground(const Session& session, std::int64_t level, std::int64_t entries);

}  // namespace tomograph::cache_sharing

#endif
