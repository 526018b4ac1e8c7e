#include "tlb_layout.hpp"

#include <algorithm>

namespace tomograph::cache_sharing {

namespace {

/// More pages of a tester, or more testers, say no more than a second program does.
constexpr std::int64_t most_pages = 12;
constexpr std::int64_t most_testers = 32;

/// Divides half of the entries among fillers and slots.
void divide_entries(TlbLayout& layout, const TlbFacts& facts) {
  const std::int64_t half = std::max<std::int64_t>(facts.entries / 2, 2);
  if (facts.entries_before > 0) {
    // At least a quarter more than the entries of the levels before, which suffices under LRU, and twice as many with a
    // margin for levels of few. Both were chosen by hand.
    constexpr std::int64_t margin = 8;
    constexpr double more = 0.25;
    const auto fewest = static_cast<std::int64_t>((1 + more) * static_cast<double>(facts.entries_before)) + 1;
    if (fewest >= half) {
      throw NoLayout("half of its entries are not more than the " + std::to_string(facts.entries_before) +
                     " of the levels before it");
    }
    layout.fillers = std::max(fewest, std::min(2 * facts.entries_before + margin, half - half / 4));
  }
  const std::int64_t left = half - layout.fillers;
  layout.pages = std::min(left, most_pages);
  layout.testers = std::clamp<std::int64_t>(left / layout.pages, 1, most_testers);
}

}  // namespace

TlbLayout tlb_layout(const TlbFacts& facts) {
  TlbLayout layout{.line = facts.line_bytes, .span = facts.entry_span, .penalty = facts.miss_penalty};
  layout.stride = std::max(facts.entry_span, facts.span_before);
  if (facts.entries_before > 0) layout.least_of_level = facts.penalty_before - facts.last_penalty_before / 2;
  divide_entries(layout, facts);
  const auto places = [&] { return (facts.room - layout.start_of_walk()) / (layout.span + layout.line) - 1; };
  // With random replacement, a walk over twice the entries leaves 14 % of the pages.
  while (places() < 2 * facts.entries && layout.testers > 1) layout.testers /= 2;
  layout.walk = std::min(2 * facts.entries, places());
  if (layout.walk < facts.entries + facts.entries / 4) {
    throw NoLayout("the " + std::to_string(facts.room) +
                   " B of memory that can be had hold too few pages to evict all of " + std::to_string(facts.entries));
  }
  return layout;
}

bool walk_fills_next(const TlbLayout& layout, std::int64_t entries, std::int64_t span) {
  // A walk over half of a level of LRU leaves the other half alone, a walk over all of it does not.
  constexpr double most = 0.75;
  const std::int64_t filled = std::min(layout.walk, layout.walk * layout.span / span + 1);
  return static_cast<double>(filled) > most * static_cast<double>(entries);
}

}  // namespace tomograph::cache_sharing
