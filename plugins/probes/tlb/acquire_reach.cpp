#include "acquire_reach.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <numeric>

#include "tomograph/session.hpp"

namespace tomograph::tlb {

namespace {

/// The most pages of a walk that tells which of them miss the level.
std::int64_t most_told(const Memory& memory, const Level& level) {
  std::int64_t pages = memory.most_visits;
  while (pages > 1 && !can_tell(memory, level, pages)) --pages;
  return pages;
}

/// Walks by address that overflow the level, over at most twice as many pages as overflow it and as many as can be
/// timed, the smallest stride first. Walks over little more than fits come last: of several sets, some may not
/// overflow, so that misses lie too far apart.
std::vector<Walk> overflowing_walks(const Memory& memory, const Level& level, std::span<const Cell> matrix) {
  std::vector<std::int64_t> strides;
  for (const Cell& cell : matrix) strides.push_back(cell.stride);
  std::ranges::sort(strides);
  strides.erase(std::unique(strides.begin(), strides.end()), strides.end());
  const std::int64_t told = most_told(memory, level);
  std::vector<Walk> walks;
  std::vector<Walk> barely;
  for (const std::int64_t stride : strides) {
    const auto overflows = bracket(matrix, level, stride).overflows;
    if (!overflows) continue;
    const std::int64_t most = std::min({memory.most_visits, (memory.bytes - 2 * spread(stride)) / stride + 1, told});
    const std::int64_t pages = std::min(2 * *overflows, most);
    if (pages < *overflows) continue;
    // Times what first overflowed. Chosen by hand.
    constexpr double clearly = 1.25;
    auto& kind = static_cast<double>(pages) >= clearly * static_cast<double>(*overflows) ? walks : barely;
    kind.push_back({.pages = evenly(stride, pages), .unit = spread(stride), .passes = level.passes()});
  }
  std::ranges::move(barely, std::back_inserter(walks));
  return walks;
}

/// Pages all over the memory, as close to each other as can be timed, so that the levels before miss most of them.
Walk widest_walk(const Memory& memory, const Level& level, std::span<const Cell> matrix) {
  std::int64_t stride = std::ranges::min(matrix, {}, &Cell::stride).stride;
  const auto pages = [&] { return (memory.bytes - 2 * spread(stride)) / stride + 1; };
  while (pages() > memory.most_visits || possible_passes(memory, pages(), level.passes()) < level.passes()) stride *= 2;
  return {.pages = evenly(stride, pages()), .unit = spread(stride), .passes = level.passes()};
}

/// Whether the pages of a walk fit the level, and which of them missed.
struct FitTest {
  bool fits = false;
  std::vector<bool> missed;
};

/// Pages that missed: of a sharp level in every pass, else by the median of the passes.
std::vector<bool> always_missing(const ExtraLatency& seen, const Level& level) {
  if (!level.sharp()) return missing(seen, level);
  std::vector<bool> missed(seen.visits, true);
  for (std::size_t visit = 0; visit < seen.cycles.size(); ++visit) {
    if (seen.cycles[visit] <= level.threshold()) missed[visit % seen.visits] = false;
  }
  return missed;
}

/// Visits of walks over the same pages that exceeded the threshold, and the pages that missed in all of the walks.
class Misses {
 public:
  Misses(const Level& level, std::size_t pages) : level_(level), missed_(pages, true), above_each_(pages) {}

  void add(const ExtraLatency& seen) {
    const auto now = always_missing(seen, level_);
    std::transform(missed_.begin(), missed_.end(), now.begin(), missed_.begin(), std::logical_and<>());
    for (std::size_t visit = 0; visit < seen.cycles.size(); ++visit) {
      if (seen.cycles[visit] > level_.threshold()) ++above_each_[visit % seen.visits];
    }
    visits_ += seen.cycles.size();
  }
  [[nodiscard]] std::int64_t passes() const { return static_cast<std::int64_t>(visits_ / missed_.size()); }
  [[nodiscard]] const std::vector<bool>& missed() const { return missed_; }
  [[nodiscard]] bool none_missed() const { return std::ranges::count(missed_, true) == 0; }
  /// Whether no page missed, and no more visits than chance explains. One page too many costs two misses in each pass
  /// where victims are random, and more under other policies: up to one is taken for delays and for lines that L2 does
  /// not hold.
  /// The share `of_lines` of the visits has another cause and is left out.
  [[nodiscard]] bool fit(double of_lines = 0) const {
    const auto visits = static_cast<double>(visits_);
    auto most = static_cast<double>(passes());
    if (!level_.sharp()) {
      // The bound of the noise may lie far above it: then many visits that miss nothing exceed the threshold less
      // often.
      constexpr double many = 512;
      constexpr double more = 1.5;  // lines of more pages scatter more; chosen by hand on simulated GPUs
      const double control = most_like_control(level_, visits);
      double chance = most_chance_misses(false_miss_share(level_), visits);
      if (level_.control_visits >= many) chance = std::min(chance, more * control);
      most = std::max({most, chance, control});
    }
    return none_missed() && (1 - of_lines) * static_cast<double>(above()) <= most;
  }
  /// Whether no page missed, and about as many visits in each pass as one page too many costs, or as a few lines that
  /// L2 does not hold.
  [[nodiscard]] bool are_few() const { return none_missed() && above() > passes() && above() <= 3 * passes(); }
  [[nodiscard]] std::int64_t above() const {
    return std::accumulate(above_each_.begin(), above_each_.end(), std::int64_t{0});
  }
  /// The share of the visits that exceeded the threshold.
  [[nodiscard]] double share_above() const { return static_cast<double>(above()) / static_cast<double>(visits_); }
  [[nodiscard]] double error_of_share() const {
    return std::sqrt(share_above() * (1 - share_above()) / static_cast<double>(visits_));
  }
  /// Whether most pages miss in each of several passes. Where victims are random, a walk that fits has settled further
  /// than that after the first pass, and L2 cannot fail to hold most lines of so few.
  [[nodiscard]] bool most_missed() const {
    return passes() > 1 && 2 * std::ranges::count(missed_, true) > std::ssize(missed_);
  }
  /// Whether pages miss in several passes, and hardly any in some of them only: such misses do not settle.
  [[nodiscard]] bool are_constant() const {
    // Of pages that random victims make miss, more do so now and then.
    constexpr std::int64_t few = 10;
    const auto always = std::ranges::count(above_each_, passes());
    const auto never = std::ranges::count(above_each_, std::int64_t{0});
    return passes() > 1 && few * (std::ssize(above_each_) - always - never) < always;
  }

 private:
  Level level_;
  std::vector<bool> missed_;
  std::vector<std::int64_t> above_each_;
  std::size_t visits_ = 0;
};

/// The share of the misses that strike the same visits when a walk loads the same lines again, and not when it loads
/// others: L2 does not hold these lines together. Victims drawn at random strike other visits each time, those of a
/// deterministic policy the same, whatever the lines.
double share_of_lines(const Memory& memory, const Level& level, Walk walk) {
  // One page too many costs two misses or more in each pass, of which about as many are then seen.
  constexpr std::int64_t enough_passes = 24;
  // In turn the same lines again, and others.
  std::vector<Walk> walks{walk};
  for (std::int64_t passes = 0; passes < enough_passes; passes += walk.passes) {
    ++walk.trial;
    walks.push_back(walk);
    ++walk.first_line;
    walks.push_back(walk);
  }
  const auto seen = extra_latency(memory, walks);
  std::int64_t misses = 0;
  std::int64_t of_lines = 0;
  for (std::size_t first = 0; first + 2 < seen.size(); first += 2) {
    for (std::size_t visit = 0; visit < seen[first].cycles.size(); ++visit) {
      const auto missed = [&](std::size_t one) { return seen[one].cycles[visit] > level.threshold(); };
      if (!missed(first)) continue;
      ++misses;
      of_lines += missed(first + 1) && !missed(first + 2) ? 1 : 0;
    }
  }
  return misses == 0 ? 0 : static_cast<double>(of_lines) / static_cast<double>(misses);
}

/// Whether visits exceed the threshold hardly more often than as many visits of half of the pages, which surely fit if
/// nearly all do. One page too many costs two misses or more in each pass, of which noise hides a share; one is the
/// bound. True if walks that take long leave it open, or a device refuses them: recordings may not know them.
bool miss_like_half(const Memory& memory, const Level& level, Walk walk, Misses all) {
  // Both no misses and two of a page too many lie so many standard errors from the bound: 3e-5.
  constexpr double enough_errors = 4;
  constexpr int most_walks = 8;  // of either kind, some 1 ms each on an H200
  Walk half = walk;
  half.pages.clear();
  for (std::size_t page = 0; page < walk.pages.size(); page += 2) half.pages.push_back(walk.pages[page]);
  half.passes = possible_passes(memory, std::ssize(half.pages), 2 * walk.passes);
  Misses few(level, half.pages.size());
  const auto pages = static_cast<double>(walk.pages.size());
  try {
    for (int walks = 1; walks <= most_walks; ++walks, ++walk.first_line, ++half.first_line) {
      if (walks > 1) all.add(extra_latency(memory, walk));
      few.add(extra_latency(memory, half));
      const double bound = 1 - 2 * few.share_above();  // of a miss in each pass
      const double error = pages * std::hypot(few.error_of_share(), all.error_of_share());
      if (bound >= enough_errors * error) return pages * (all.share_above() - few.share_above()) <= bound;
    }
  } catch (const Refused&) {
    return true;
  }
  return true;
}

/// A walk that misses nothing, or the same pages at another line in each pass, decides, if noise does not blur it. Else
/// a level whose victims are random may not have settled, or a delay or a line that L2 does not hold was taken for a
/// miss, which rarely strikes the same page at another line.
FitTest test_fit(const Memory& memory, const Level& level, const std::vector<std::int64_t>& pages, std::int64_t unit) {
  // With two misses in each pass expected, at most one in each is seen with probability 0.01 (Poisson).
  constexpr std::int64_t enough_passes = 8;
  // One delayed visit of 1,000 makes none of 2,000 pages miss three times: a false alarm in 2e-6.
  constexpr std::int64_t enough_to_miss = 3;
  // Each walk visits other lines. With probability 6e-4, as before.
  constexpr std::int64_t enough_for_few = 3 * enough_passes;
  Walk walk = over(memory, level, pages, unit);
  walk.warm = warming_walks(std::ssize(pages));
  if (level.sharp()) {
    Misses first(level, pages.size());
    first.add(extra_latency(memory, walk));
    const bool decides = first.most_missed() || (first.are_constant() && loads_other_lines(memory, walk));
    if (first.above() == 0 || decides) return {first.above() == 0, first.missed()};
  }
  walk.warm = settling_walks(std::ssize(pages));
  // Of a level that is not, more visits tell a few misses from chance.
  const std::int64_t wanted = level.sharp() ? enough_passes : 64;
  walk.passes = std::max(walk.passes, possible_passes(memory, std::ssize(pages), wanted));
  Misses settled(level, pages.size());
  const std::int64_t first_line = walk.first_line;
  const auto is_undecided = [&] {
    if (!level.sharp()) return false;
    if (!settled.none_missed()) {
      return settled.passes() < enough_to_miss ||
             (walk.first_line == first_line + 1 && !loads_other_lines(memory, walk));
    }
    return settled.passes() < (settled.are_few() ? enough_for_few : enough_passes);
  };
  do {
    ++walk.first_line;
    settled.add(extra_latency(memory, walk));
  } while (is_undecided());
  const bool may_be_of_lines = level.sharp() && settled.none_missed() && loads_other_lines(memory, walk);
  const bool fits = settled.fit() || (may_be_of_lines && settled.fit(share_of_lines(memory, level, walk)));
  const bool is_unsure = !level.sharp() && fits && settled.above() > settled.passes();
  return {fits && (!is_unsure || miss_like_half(memory, level, walk, settled)), settled.missed()};
}

/// The distances between the misses of the walk. A walk by address may find the page table's entry in a cache, to which
/// the miss before brought it. Such a miss takes more than a hit, but less than others. It counts where nearly all
/// distances agree then.
std::optional<Fill> fill_of(const Memory& memory, const Level& level, const Walk& walk) {
  constexpr double nearly_all = 0.75;  // the rest may be lines that L2 does not hold, or delays
  const auto extra = extra_latency(memory, walk);
  auto costly = distances_between(walk.pages, missing(extra, level));
  Level low = level;  // whose threshold is just above hits
  low.miss = 2 * clearly_above(level.hit, level.noise) - level.hit;
  if (!costly || !level.sharp() || low.threshold() >= level.threshold()) return costly;
  const auto all = distances_between(walk.pages, missing(extra, low));
  const bool agree = all && all->share >= nearly_all && all->bytes < costly->bytes && costly->bytes % all->bytes == 0;
  return agree ? all : costly;
}

/// Whether walks fit though each of their pages lies in another region of `bytes`, and they are more than the levels
/// before can hide.
bool holds_several(std::span<const Cell> matrix, const Level& level, std::int64_t bytes, std::int64_t before) {
  return std::ranges::any_of(matrix, [&](const Cell& cell) {
    return cell.stride >= bytes && bracket(matrix, level, cell.stride).fits > 2 * (before + 1);
  });
}

struct PagesOfRegion {
  std::int64_t count = 0;
  std::int64_t stride = 0;
};

/// Pages of a region of `bytes` that evict, with as many of another one, everything from the levels before. Of one
/// whose entries are unknown, the matrix shows how many do at which stride: the widest is taken.
PagesOfRegion pages_of_region(const Memory& memory, const Level& level, std::span<const Cell> matrix,
                              std::int64_t bytes, const Before& before) {
  PagesOfRegion widest;
  for (const Cell& cell : matrix) {
    if (before.uncounted == nullptr || cell.stride <= widest.stride) continue;
    const auto overflows = bracket(matrix, *before.uncounted, cell.stride).overflows;
    if (!overflows || *overflows * cell.stride > bytes || 2 * *overflows > memory.most_visits) continue;
    if (can_tell(memory, level, 2 * *overflows)) widest = {*overflows, cell.stride};
  }
  if (widest.count > 0) return widest;
  const std::int64_t count = std::max<std::int64_t>((before.evicting_pages + 1) / 2, 1);
  return {count, bytes / count / memory.line * memory.line};
}

/// Whether most visits ask the level, and most of these miss it. Levels before whose victims are random serve some.
bool most_miss(const Level& level, const ExtraLatency& seen) {
  const auto above = [&](double limit) {
    return std::ranges::count_if(seen.cycles, [&](double cycles) { return cycles > limit; });
  };
  const auto asked = above(level.asked_from);
  // Each visit changes a window. Caches of upper page tables hold two regions or more: where the array begins anywhere
  // in a region, a few visits come to a third one.
  return 2 * asked > std::ssize(seen.cycles) && 2 * above(level.threshold()) > asked;
}

/// Pages that just fit, and the distance of their neighbours.
struct Neighbours {
  std::int64_t start = 0;
  std::int64_t stride = 0;
  std::int64_t distance = 0;
  std::int64_t count = 0;
  std::int64_t moved = 1;  ///< pages behind them that are moved by the distance
};

/// The two walks that tell whether an entry serves both a page and its neighbour.
struct NeighboursTest {
  const Memory& memory;
  const Level& level;
  Neighbours pages;

  [[nodiscard]] std::int64_t unit() const { return spread(pages.distance / 4); }
  [[nodiscard]] std::int64_t end() const { return pages.start + pages.count * pages.stride + pages.distance; }
  /// Whether memory has room for them, and they can be timed.
  [[nodiscard]] bool is_possible() const {
    return moved() > 0 && 2 * pages.count <= memory.most_visits && can_tell(memory, level, 2 * pages.count);
  }
  [[nodiscard]] bool neighbours_fit() const {
    std::vector<std::int64_t> walk;
    for (const std::int64_t page : evenly(pages.stride, pages.count, pages.start)) {
      walk.push_back(page);
      walk.push_back(page + pages.distance);
    }
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

bool can_tell(const Memory& memory, const Level& level, std::int64_t pages) {
  return possible_passes(memory, pages, level.passes()) == level.passes();
}

Walk over(const Memory& memory, const Level& level, std::vector<std::int64_t> pages, std::int64_t unit) {
  // Enough visits for the share of misses over all of them, and limits of the passes. Chosen by hand.
  constexpr std::int64_t many_visits = 512;
  constexpr std::int64_t fewest_passes = 3;
  constexpr std::int64_t usual_passes = 25;
  const auto visits = static_cast<std::int64_t>(pages.size());
  const std::int64_t wanted =
      std::max(level.passes(), std::clamp<std::int64_t>(many_visits / visits | 1, fewest_passes, usual_passes));
  return {.pages = std::move(pages), .unit = unit, .passes = possible_passes(memory, visits, wanted)};
}

bool fits(const Memory& memory, const Level& level, const std::vector<std::int64_t>& pages, std::int64_t unit) {
  return test_fit(memory, level, pages, unit).fits;
}

bool is_window(const Memory& memory, const Level& level, std::span<const Cell> matrix, const Fill& fill,
               const Before& before) {
  // A distance that is the stride is an upper bound.
  if (fill.bytes <= fill.stride || 2 * fill.bytes > memory.bytes) return false;
  if (holds_several(matrix, level, fill.bytes, before.evicting_pages)) return false;
  const PagesOfRegion in_each = pages_of_region(memory, level, matrix, fill.bytes, before);
  std::vector<std::int64_t> pages;
  for (std::int64_t i = 0; i < in_each.count; ++i) {
    pages.push_back(i * in_each.stride);
    pages.push_back(fill.bytes + i * in_each.stride);
  }
  Walk walk = over(memory, level, pages, spread(in_each.stride));
  walk.warm = warming_walks(std::ssize(pages));
  return most_miss(level, extra_latency(memory, walk));
}

std::optional<Fill> fill(const Memory& memory, const Level& level, std::span<const Cell> matrix) {
  // Where one miss brings nearly all that the level holds, walks at the smallest strides have few misses. The number
  // was chosen by hand.
  constexpr std::size_t enough = 6;
  // Where victims are random, a walk over twice the pages that overflow a level misses four in five, so that behind two
  // such levels half of the distances agree; half of that for smaller walks. Lines that L2 does not hold look like
  // misses, and lie at any distances.
  constexpr double agreeing = 0.25;
  std::optional<Fill> found;
  const auto is_bound = [](const Fill& one) { return one.bytes == one.stride; };
  for (const Walk& walk : overflowing_walks(memory, level, matrix)) {
    // Where every page missed, only pages that lie closer tell more.
    if (found && is_bound(*found) && walk.pages[1] - walk.pages[0] >= found->stride) continue;
    const auto seen = fill_of(memory, level, walk);
    if (!seen || seen->share < agreeing) continue;
    if (found && (is_bound(*found) ? seen->bytes >= found->bytes : is_bound(*seen))) continue;
    found = seen;
    if (found->distance.size() >= enough && !is_bound(*found)) return found;
  }
  if (!found || is_bound(*found)) return found;
  const auto seen = fill_of(memory, level, widest_walk(memory, level, matrix));
  return seen && seen->bytes > seen->stride && seen->distance.size() >= found->distance.size() ? seen : found;
}

std::optional<std::int64_t> Reach::most_fitting(std::int64_t stride, std::int64_t start) {
  const auto known = fitting_.find({stride, start});
  if (known != fitting_.end()) return known->second;
  return fitting_[{stride, start}] = count(stride, start);
}

std::int64_t Reach::most_pages(std::int64_t stride, std::int64_t start) const {
  return std::min(memory_.most_visits, (memory_.bytes - start - 2 * spread(stride)) / stride + 1);
}

std::optional<std::int64_t> Reach::count(std::int64_t stride, std::int64_t start) const {
  const Bracket bracket = tlb::bracket(matrix_, level_, stride);
  const std::int64_t most = most_pages(stride, start);
  const auto test = [&](std::int64_t pages) {
    return test_fit(memory_, level_, evenly(stride, pages, start), spread(stride));
  };
  // As many as from other places, in most cases: two walks confirm it.
  if (const auto expected = counted(stride); expected && *expected < most && can_tell(memory_, level_, *expected + 1)) {
    if (test(*expected).fits && !test(*expected + 1).fits) return expected;
  }
  std::int64_t low = std::clamp<std::int64_t>(bracket.fits, 1, most);
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
    return fits(memory_, level_, evenly(stride, walked, start), spread(stride));
  } catch (const Refused&) {
    return std::nullopt;
  }
}

/// Where memory has too few pages two distances apart to overflow the level: if an entry served a page and its
/// neighbour, these would fill it as far as twice as many pages one distance apart. Returns false if more fit than the
/// level holds then.
std::optional<bool> Reach::one_entry_near_memory_size(std::int64_t distance) {
  const std::int64_t apart = (memory_.bytes - 2 * spread(2 * distance)) / (2 * distance) + 1;
  const std::int64_t close = (memory_.bytes - 2 * spread(distance)) / distance + 1;
  if (2 * close > memory_.most_visits || !can_tell(memory_, level_, 2 * close)) return std::nullopt;
  const auto fitting = most_fitting(distance);
  if (!fitting || !fits(memory_, level_, evenly(2 * distance, apart), spread(2 * distance))) return std::nullopt;
  const std::int64_t held = std::max(*fitting, retained(memory_, level_, evenly(distance, close), spread(distance)));
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
