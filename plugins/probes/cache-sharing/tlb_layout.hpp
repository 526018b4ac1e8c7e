#ifndef TOMOGRAPH_CACHE_SHARING_TLB_LAYOUT_HPP
#define TOMOGRAPH_CACHE_SHARING_TLB_LAYOUT_HPP

#include <cstdint>
#include <limits>
#include <stdexcept>

#include "tomograph/chase.hpp"

namespace tomograph::cache_sharing {

/// What is known about a level of TLB, the levels before it and memory.
struct TlbFacts {
  std::int64_t entries = 0;
  std::int64_t entry_span = 0;      ///< bytes that an entry translates
  double miss_penalty = 0;          ///< cycles
  std::int64_t entries_before = 0;  ///< of the largest level before, 0 for the first level
  std::int64_t span_before = 0;     ///< of the level before with the longest span
  double penalty_before = 0;        ///< cycles of a miss of all levels before
  double last_penalty_before = 0;   ///< of this, the part of the last of them
  std::int64_t line_bytes = 0;      ///< of a line of L2
  std::int64_t room = 0;            ///< bytes of memory that a program can have
};

/// Where the pages lie that testers visit, those that evict them from the levels before, and those that walkers visit.
/// Each tester has a slot of pages of its own.
struct TlbLayout {
  std::int64_t line = 0;
  std::int64_t pages = 0;    ///< of a slot
  std::int64_t testers = 0;  ///< in one program, so few that the level holds the pages of all
  std::int64_t fillers = 0;  ///< pages of all testers that evict the others from the levels before; 0 for the first
  std::int64_t stride = 0;   ///< from one of these pages to the next
  std::int64_t walk = 0;     ///< pages of a walker, more than the level has entries
  std::int64_t span = 0;     ///< from one of these to the next
  double penalty = 0;        ///< of a miss, cycles
  /// Cycles above which a visit missed all levels before; below any visit's for the first level.
  double least_of_level = std::numeric_limits<double>::lowest();

  /// Lines of each page that are loaded.
  [[nodiscard]] std::int64_t lines_of_page() const { return std::min(span, chase::array_alignment) / line; }
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

/// Whether a walk fills most of the next level, which has so many entries of `span` bytes. If that level holds all that
/// the levels before it hold, it then takes entries from those of other SMs, as if they shared theirs.
[[nodiscard]] bool walk_fills_next(const TlbLayout& layout, std::int64_t entries, std::int64_t span);

/// Thrown, with the reason, when no layout fits.
class NoLayout : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The slot of an SM, always the same one.
[[nodiscard]] inline std::int64_t slot_of(const TlbLayout& layout, std::int64_t sm) { return sm % layout.testers; }

/// The layout for a level. @throws NoLayout.
[[nodiscard]] TlbLayout tlb_layout(const TlbFacts& facts);

}  // namespace tomograph::cache_sharing

#endif
