#ifndef TOMOGRAPH_TLB_ACQUIRE_LEVEL_HPP
#define TOMOGRAPH_TLB_ACQUIRE_LEVEL_HPP

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "acquire_fill.hpp"
#include "acquire_penalty.hpp"
#include "acquire_reach.hpp"
#include "acquire_sets.hpp"

namespace tomograph::tlb {

/// What a level holds.
struct Held {
  std::int64_t entries = 0;
  std::int64_t span = 0;
};

/// What was measured of one level. Members without a value could not be measured.
struct Findings {
  Level level;
  std::optional<Fill> fill;
  std::optional<std::int64_t> entry_span;
  std::optional<bool> brings_whole_entries;  ///< a miss does; asked where the distances of misses leave it open
  std::optional<std::int64_t> brought_before = 0;
  std::optional<std::int64_t> entries;
  double confidence = 0;  ///< of entries and entry_span
  std::string method;     ///< of entries
  std::string reason;     ///< why entries or entry_span are missing
  bool examined = true;   ///< false: noise hides this level, or one before it
  SetWays sets;
  Policy policy;
  std::optional<Penalty> penalty;
  std::optional<Held> doubted;  ///< what was counted of entries that may serve less

  /// Whether a level before may hide what a miss brings, since it brings as much. Requires `fill`.
  [[nodiscard]] bool is_hidden() const;
};

/// Measures one level whose `fill` is known. `next` is the level after it, if there is one.
[[nodiscard]] Findings examine(const Memory& memory, std::span<const Cell> matrix, const Level& level,
                               const std::optional<Fill>& fill, const Before& before, const Level* next);

/// The findings of a level that noise hides: none but the reason.
[[nodiscard]] Findings not_examined(const Level& level, const std::string& reason);

}  // namespace tomograph::tlb

#endif
