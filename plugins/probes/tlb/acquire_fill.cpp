#include "acquire_fill.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

#include "acquire_fit.hpp"
#include "tomograph/session.hpp"

namespace tomograph::tlb {

namespace {

/// Share of distances that must agree. Where victims are random, a walk over twice the pages that overflow a level
/// misses four in five, so that behind two such levels half of the distances agree; half of that for smaller walks.
/// Lines that L2 does not hold look like misses, and lie at any distances.
constexpr double agreeing = 0.25;

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
    const std::int64_t most =
        std::min({memory.most_visits, (memory.bytes - 2 * memory.spread(stride)) / stride + 1, told});
    const std::int64_t pages = std::min(2 * *overflows, most);
    if (pages < *overflows) continue;
    // Times what first overflowed. Chosen by hand.
    constexpr double clearly = 1.25;
    auto& kind = static_cast<double>(pages) >= clearly * static_cast<double>(*overflows) ? walks : barely;
    kind.push_back({.pages = evenly(stride, pages), .unit = memory.spread(stride), .passes = level.passes()});
  }
  std::ranges::move(barely, std::back_inserter(walks));
  return walks;
}

/// Pages all over the memory, as close to each other as can be timed, so that the levels before miss most of them.
Walk widest_walk(const Memory& memory, const Level& level, std::span<const Cell> matrix) {
  std::int64_t stride = std::ranges::min(matrix, {}, &Cell::stride).stride;
  const auto pages = [&] { return (memory.bytes - 2 * memory.spread(stride)) / stride + 1; };
  while (pages() > memory.most_visits || !can_tell(memory, level, pages())) stride *= 2;
  return {.pages = evenly(stride, pages()), .unit = memory.spread(stride), .passes = level.passes()};
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

}  // namespace

std::optional<Fill> fill(const Memory& memory, const Level& level, std::span<const Cell> matrix) {
  // Where one miss brings nearly all that the level holds, walks at the smallest strides have few misses. The number
  // was chosen by hand.
  constexpr std::size_t enough = 6;
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

bool misses_bring_next(const Memory& memory, const Level& level, std::span<const Cell> matrix, const Fill& fill) {
  if (fill.bytes <= fill.stride) return false;
  const auto walks = overflowing_walks(memory, level, matrix);
  const auto same =
      std::ranges::find_if(walks, [&](const Walk& walk) { return walk.pages[1] - walk.pages[0] == fill.stride; });
  if (same == walks.end()) return false;
  Walk backwards = *same;
  std::ranges::reverse(backwards.pages);
  try {
    auto missed = missing(extra_latency(memory, backwards), level);
    std::reverse(missed.begin(), missed.end());
    const auto seen = distances_between(same->pages, std::move(missed));
    return seen && seen->share >= agreeing && 2 * seen->bytes <= fill.bytes;
  } catch (const Refused&) {
    return false;  // recordings may know one direction
  }
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
  Walk walk = over(memory, level, pages, memory.spread(in_each.stride));
  walk.warm = warming_walks(std::ssize(pages));
  return most_miss(level, extra_latency(memory, walk));
}

}  // namespace tomograph::tlb
