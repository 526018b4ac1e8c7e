#ifndef TOMOGRAPH_TLB_QUESTION_HPP
#define TOMOGRAPH_TLB_QUESTION_HPP

#include "matrix.hpp"
#include "penalty.hpp"
#include "reach.hpp"
#include "sets.hpp"
#include "tomograph/session/session.hpp"

/// The TLB probe. The measurement itself is in the SDK (tomograph/tlb/); here is what is asked in which order, and what
/// is published.
namespace tomograph::tlb {

/// As much memory as the device can spare, with 1/16 of what is free left to others.
/// @throws Skip if not even a little can be had.
[[nodiscard]] Memory spare_memory(const Session& session);

/// Runs a program that takes little memory, so that the device need not keep more.
void give_back(const Memory& memory);

/// What was found out about one level. What is missing could not be.
struct Anatomy {
  Level level;
  std::optional<Fill> fill;
  std::optional<std::int64_t> entry_span;
  std::optional<std::int64_t> entries;
  double confidence = 0;  ///< of entries and entry_span
  std::string method;     ///< of entries
  std::string reason;     ///< why entries or entry_span are missing
  bool drowned = false;   ///< in noise, or behind a level that is: nothing was asked
  SetWays sets;
  Policy policy;
  std::optional<Penalty> penalty;
};

/// Examines one level of which `fill` is known. `before` is how many pages push everything out of the levels before it,
/// 0 for the first; `next` is the level after it, if there is one.
[[nodiscard]] Anatomy examine(const Memory& memory, std::span<const Cell> matrix, const Level& level,
                              std::optional<Fill> fill, std::int64_t before, const Level* next);

void find_tlbs(const Session& session);

}  // namespace tomograph::tlb

#endif
