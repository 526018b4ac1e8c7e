#include "acquire_reach.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>

#include "acquire_fit.hpp"
#include "analysis_misses.hpp"
#include "tomograph/session.hpp"

namespace tomograph::tlb {

namespace {

/// Pages that just fit, and the distance of their neighbours.
struct Neighbours {
  std::int64_t start = 0;
  std::int64_t stride = 0;
  std::int64_t distance = 0;
  std::int64_t count = 0;
  std::int64_t moved = 1;  ///< pages behind them that are moved by the distance
  bool later = false;      ///< neighbours come after all pages, when no level before holds these any more
};

/// The two walks that tell whether an entry serves both a page and its neighbour.
struct NeighboursTest {
  const Memory& memory;
  const Level& level;
  Neighbours pages;

  [[nodiscard]] std::int64_t unit() const { return memory.spread(pages.distance / 4); }
  [[nodiscard]] std::int64_t end() const { return pages.start + pages.count * pages.stride + pages.distance; }
  /// Whether memory has room for them, and they can be timed.
  [[nodiscard]] bool is_possible() const {
    return moved() > 0 && 2 * pages.count <= memory.most_visits && can_tell(memory, level, 2 * pages.count);
  }
  [[nodiscard]] bool neighbours_fit() const {
    std::vector<std::int64_t> walk;
    for (const std::int64_t page : evenly(pages.stride, pages.count, pages.start)) {
      walk.push_back(page);
      if (!pages.later) walk.push_back(page + pages.distance);
    }
    if (pages.later)
      std::ranges::copy(evenly(pages.stride, pages.count, pages.start + pages.distance), std::back_inserter(walk));
    return fits(memory, level, walk, unit());
  }
  /// The moved pages for which memory has room.
  [[nodiscard]] std::int64_t moved() const {
    return std::clamp<std::int64_t>((memory.bytes - unit() - end()) / pages.stride + 1, 0,
                                    std::min(pages.moved, pages.count));
  }
  /// Whether further pages fit, moved by the distance.
  [[nodiscard]] bool moved_fit() const {
    auto walk = evenly(pages.stride, pages.count, pages.start);
    for (const std::int64_t page : evenly(pages.stride, moved(), end())) walk.push_back(page);
    return fits(memory, level, walk, unit());
  }
  [[nodiscard]] bool passes() const { return neighbours_fit() && !moved_fit(); }
};

}  // namespace

std::optional<std::int64_t> Reach::most_fitting(std::int64_t stride, std::int64_t start) {
  const auto known = fitting_.find({stride, start});
  if (known != fitting_.end()) return known->second;
  return fitting_[{stride, start}] = count(stride, start);
}

std::int64_t Reach::most_pages(std::int64_t stride, std::int64_t start) const {
  return std::min(memory_.most_visits, (memory_.bytes - start - 2 * memory_.spread(stride)) / stride + 1);
}

std::optional<std::int64_t> Reach::count(std::int64_t stride, std::int64_t start) const {
  const Bracket bracket = tlb::bracket(matrix_, level_, stride);
  const std::int64_t most = most_pages(stride, start);
  const auto test = [&](std::int64_t pages) {
    return test_fit(memory_, level_, evenly(stride, pages, start), memory_.spread(stride));
  };
  // As many as from other places, in most cases: two walks confirm it.
  if (const auto expected = counted(stride); expected && *expected < most && can_tell(memory_, level_, *expected + 1)) {
    if (test(*expected).fits && !test(*expected + 1).fits) return expected;
  }
  std::int64_t low = std::clamp<std::int64_t>(bracket.fits, 1, most);
  if (!can_time(memory_, low)) return std::nullopt;
  // What fits may be disturbed once or twice.
  const auto fits_in_three = [&] { return test(low).fits || test(low).fits || test(low).fits; };
  while (low > 1 && !fits_in_three()) low /= 2;
  std::int64_t high = std::clamp<std::int64_t>(bracket.overflows.value_or(most), low + 1, most);
  FitTest over;
  while (high > low) {
    if (!can_tell(memory_, level_, high)) return std::nullopt;
    over = test(high);
    if (!over.fits) break;
    if (high == most) return std::nullopt;
    low = high;
    high = std::min(2 * high, most);
  }
  while (high - low > 1) {
    const std::int64_t pages = next_number(low, high, over.missed);
    FitTest here = test(pages);
    if (here.fits) {
      low = pages;
    } else {
      high = pages;
      over = std::move(here);
    }
  }
  return low;
}

/// What was counted at this stride from any start.
std::optional<std::int64_t> Reach::counted(std::int64_t stride) const {
  for (const auto& [place, pages] : fitting_) {
    if (place.first == stride && pages) return pages;
  }
  return std::nullopt;
}

/// Whether so many pages fit, or all that the memory has place for. Nothing if they are too many to be timed, or a
/// device refuses the walk: recordings may know one start, or one stride.
std::optional<bool> Reach::so_many_fit(std::int64_t pages, std::int64_t stride, std::int64_t start) const {
  const std::int64_t walked = std::min(pages, most_pages(stride, start));
  if (!can_tell(memory_, level_, walked)) return std::nullopt;
  try {
    return fits(memory_, level_, evenly(stride, walked, start), memory_.spread(stride));
  } catch (const Refused&) {
    return std::nullopt;
  }
}

/// Where memory has too few pages two distances apart to overflow the level: if an entry served a page and its
/// neighbour, these would fill it as far as twice as many pages one distance apart. Returns false if more fit than the
/// level holds then.
std::optional<bool> Reach::one_entry_near_memory_size(std::int64_t distance) {
  const std::int64_t apart = (memory_.bytes - 2 * memory_.spread(2 * distance)) / (2 * distance) + 1;
  const std::int64_t close = (memory_.bytes - 2 * memory_.spread(distance)) / distance + 1;
  if (2 * close > memory_.most_visits || !can_tell(memory_, level_, 2 * close)) return std::nullopt;
  const auto fitting = most_fitting(distance);
  if (!fitting || !fits(memory_, level_, evenly(2 * distance, apart), memory_.spread(2 * distance)))
    return std::nullopt;
  const std::int64_t held =
      std::max(*fitting, retained(memory_, level_, evenly(distance, close), memory_.spread(distance)));
  // What is counted lies up to 4 % below the entries (an H100).
  constexpr double miscounted = 1.05;
  if (2.0 * static_cast<double>(apart) < miscounted * static_cast<double>(held)) return std::nullopt;
  return false;
}

/// The most pages that fit from `start` on. Nothing if a device refuses the walks: recordings may know one start, or
/// one stride.
std::optional<std::int64_t> Reach::counted_from(std::int64_t stride, std::int64_t start) {
  try {
    return most_fitting(stride, start);
  } catch (const Refused&) {
    return std::nullopt;
  }
}

bool Reach::twice_as_many_fit(std::int64_t distance) {
  const auto whole = most_fitting(distance);
  if (!whole || *whole < 2) return true;
  if (2 * bracket(matrix_, level_, distance / 2).fits >= 3 * *whole) return true;  // the matrix has seen it
  // A disturbed walk makes a count too small. It rarely does so at two places.
  return std::ranges::any_of(std::array<std::int64_t, 2>{0, distance / 4}, [&](std::int64_t start) {
    return so_many_fit((3 * *whole + 1) / 2, distance / 2, start).value_or(true);
  });
}

std::optional<bool> Reach::one_entry(std::int64_t distance) {
  std::int64_t stride = 2 * distance;
  auto most = most_fitting(stride);
  // Pages further apart may be fewer, all of some sets.
  while (most && 2 * *most > memory_.most_visits) most = most_fitting(stride *= 2);
  if (!most) return one_entry_near_memory_size(distance);
  // If an entry serves both pages, they lie in one aligned region with all their lines at one of these offsets.
  constexpr std::int64_t offsets = 4;
  for (std::int64_t i = 0; i < offsets; ++i) {
    NeighboursTest test{memory_, level_, {i * distance / 2, stride, distance, *most, evicting_pages_ + 1}};
    if (!test.is_possible()) return std::nullopt;
    if (test.passes()) return true;
    if (i == 0) continue;  // where the pages were counted
    const auto here = counted_from(stride, test.pages.start);
    // The first and the last entry serve fewer pages: of four entries, up to a quarter less. Lines that L2 does not
    // hold together take more.
    if (!here || *here == *most || 4 * std::abs(*here - *most) > *most) continue;
    test.pages.count = *here;
    if (test.is_possible() && test.passes()) return true;
  }
  return stride == 2 * distance && one_entry_wherever_regions_begin(distance, *most);
}

std::optional<bool> Reach::halves_share_entry(std::int64_t span) {
  const auto most = most_fitting(span);
  if (!most || *most <= evicting_pages_) return std::nullopt;
  constexpr std::int64_t offsets = 4;  // at two of them, an entry begins before a page and ends behind its neighbour
  try {
    for (std::int64_t i = 0; i < offsets; ++i) {
      const Neighbours pages{i * span / offsets, span, span / 2, *most, evicting_pages_ + 1, true};
      const NeighboursTest test{memory_, level_, pages};
      if (!test.is_possible()) return std::nullopt;
      if (test.passes()) return true;
    }
  } catch (const Refused&) {
    return std::nullopt;  // recordings may know other walks
  }
  return false;
}

/// Pages and their neighbours without gaps between them lie in as many regions as pages, or in one more. So one page
/// fewer than fits still fits with its neighbours, wherever regions begin: a device may place each program's memory
/// elsewhere. False if it refuses: recordings may know other pages.
bool Reach::one_entry_wherever_regions_begin(std::int64_t distance, std::int64_t most) const {
  const NeighboursTest test{memory_, level_, {0, 2 * distance, distance, most - 1, evicting_pages_ + 2}};
  try {
    return most > 1 && test.is_possible() && test.passes();
  } catch (const Refused&) {
    return false;
  }
}

std::int64_t retained(const Memory& memory, const Level& level, const std::vector<std::int64_t>& pages,
                      std::int64_t unit) {
  // One in so many pages may be found both ways in sets that few pages use, beside those that must be.
  constexpr std::int64_t few = 16;
  Walk walk{.pages = pages, .unit = unit};
  walk.pages.insert(walk.pages.end(), pages.rbegin(), pages.rend());
  walk.passes = possible_passes(memory, static_cast<std::int64_t>(walk.pages.size()), level.passes());
  std::int64_t most = 0;
  for (int attempt = 0; attempt < 2; ++attempt) {
    const auto missed = missing(extra_latency(memory, walk), level);
    const auto found = std::count(missed.begin() + std::ssize(pages), missed.end(), false);
    std::int64_t kept = 0;
    for (std::size_t page = 0; page < pages.size(); ++page) {
      kept += !missed[page] && !missed[missed.size() - 1 - page] ? 1 : 0;
    }
    const auto overlap = std::max<std::int64_t>(2 * found - std::ssize(pages), 0);
    if (few * (kept - overlap) <= found) most = std::max<std::int64_t>(most, found);
  }
  return most;
}

}  // namespace tomograph::tlb
