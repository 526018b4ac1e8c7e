#ifndef TOMOGRAPH_MEMORY_SPECTRUM_ACQUIRE_PAGES_HPP
#define TOMOGRAPH_MEMORY_SPECTRUM_ACQUIRE_PAGES_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "acquire_chase.hpp"

/// Which pages the chase visits, and which SM visits which of them first.
namespace tomograph::memory_spectrum {

inline constexpr std::int64_t page = chase::array_alignment;

/// What is known, and how many loads of a pattern each SM makes: many in all, but so few that their record, and that of
/// the other patterns, fits the smallest shared memory.
struct Plan : Known {
  Plan(const Known& known, std::size_t count)
      : Known(known), sms(static_cast<std::int64_t>(count)), timed(std::min<std::int64_t>(512, 2048 / sms)) {}
  std::int64_t sms;
  std::int64_t timed;
};

/// A part of array 0.
struct Region {
  std::int64_t start = 0;
  std::int64_t bytes = 0;
};

/// Pages one TLB entry apart. Some are visited for the first time where they are timed. The others are walked before
/// that, so that no TLB keeps an entry of the former, which the initialisation of their lines brought.
struct Pages {
  std::int64_t count = 0;
  std::int64_t span = 0;       ///< of the widest entry
  std::int64_t entries = 0;    ///< of the largest TLB
  std::int64_t over = 0;       ///< so many overflow every TLB
  std::int64_t unvisited = 0;  ///< at most so many of them are left for first visits
  std::int64_t window = 0;     ///< so many of them are in one window of page tables

  [[nodiscard]] Region at(std::int64_t number) const { return {number * span, std::min(span, page)}; }
};

/// Nothing if no TLB is known, if one is not, or if the memory does not overflow all of them.
[[nodiscard]] std::optional<Pages> pages_of(const Known& known);

/// Which SM visits which pages first. Each page belongs to one SM, once.
struct FirstVisits {
  explicit FirstVisits(std::int64_t sms)
      : across(static_cast<std::size_t>(sms)), within(static_cast<std::size_t>(sms)) {}
  using Run = std::vector<std::int64_t>;  ///< numbers of pages, in the order of the visits
  std::vector<Run> across;                ///< by SM: each page in another window than the one before
  std::vector<std::vector<Run>> within;   ///< by SM: pages by address, each run within one window
  Run others;                             ///< pages that overflow every TLB, none of those above
};

/// Where few pages are left for first visits, only some SMs have any, others in each trial.
[[nodiscard]] FirstVisits arrange(const Plan& plan, const Pages& pages, std::int64_t trial);

}  // namespace tomograph::memory_spectrum

#endif
