#include "reach.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>

namespace tomograph::tlb {

namespace {

/// A visit on the wrong side of the threshold by noise, or delayed by something else.
double stray_share(const Level& level) {
  const double deviations = (level.miss - level.hit) / 2 / level.noise;
  return std::erfc(deviations / std::sqrt(2.0)) / 2 + 0.001;
}

bool more_misses_than_strays(const ExtraLatency& extra_latency, const Level& level) {
  const auto misses = static_cast<double>(
      std::ranges::count_if(extra_latency.cycles, [&](double cycles) { return cycles > level.threshold(); }));
  const double strays = stray_share(level) * static_cast<double>(extra_latency.cycles.size());
  return misses > 1.5 * strays + 6 * std::sqrt(strays) + 3;
}

/// Walks by address that overflow the level and can be timed, the smallest stride first. Where only a little more than
/// fits is walked, one of several sets may overflow and others not, so that misses lie too far apart: these come last.
std::vector<Walk> overflowing_walks(const Memory& memory, const Level& level, std::span<const Cell> matrix) {
  std::vector<std::int64_t> strides;
  for (const Cell& cell : matrix) strides.push_back(cell.stride);
  std::ranges::sort(strides);
  strides.erase(std::unique(strides.begin(), strides.end()), strides.end());
  std::vector<Walk> walks;
  std::vector<Walk> doubtful;
  for (const std::int64_t stride : strides) {
    const auto overflows = bracket(matrix, level, stride).overflows;
    if (!overflows) continue;
    const std::int64_t most = std::min(memory.most_visits, (memory.bytes - 2 * spread(stride)) / stride + 1);
    const std::int64_t pages = std::min(2 * *overflows, most);
    if (possible_passes(memory, pages, level.passes()) < level.passes()) continue;
    auto& kind = 4 * pages >= 5 * *overflows ? walks : doubtful;
    kind.push_back({.pages = evenly(stride, pages), .unit = spread(stride), .passes = level.passes()});
  }
  std::ranges::move(doubtful, std::back_inserter(walks));
  return walks;
}

/// Pages all over the memory, as near to each other as can be timed, so that the levels before miss most of them.
Walk widest_walk(const Memory& memory, const Level& level, std::span<const Cell> matrix) {
  std::int64_t stride = std::ranges::min(matrix, {}, &Cell::stride).stride;
  const auto pages = [&] { return (memory.bytes - 2 * spread(stride)) / stride + 1; };
  while (pages() > memory.most_visits || possible_passes(memory, pages(), level.passes()) < level.passes()) stride *= 2;
  return {.pages = evenly(stride, pages()), .unit = spread(stride), .passes = level.passes()};
}

/// Distances from one miss of a walk to the next. Its first page misses wherever in an entry it lies.
std::optional<Fill> distances(const Memory& memory, const Level& level, const Walk& walk) {
  auto missed = missing(extra_latency(memory, walk), level);
  missed.front() = false;
  Fill result;
  result.stride = walk.pages[1] - walk.pages[0];
  std::optional<std::size_t> last;
  std::map<std::int64_t, std::size_t> counts;
  for (std::size_t page = 0; page < missed.size(); ++page) {
    if (!missed[page]) continue;
    if (last) ++counts[walk.pages[page] - walk.pages[*last]];
    if (last) result.distance.push_back(static_cast<double>(walk.pages[page] - walk.pages[*last]));
    last = page;
  }
  if (counts.empty()) return std::nullopt;
  const auto most = std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; });
  result.bytes = most->first;
  result.share = static_cast<double>(most->second) / static_cast<double>(result.distance.size());
  return result;
}

/// What a walk shows of whether its pages fit.
struct Look {
  bool fits = false;
  std::vector<bool> missed;
};

Look look_at(const Memory& memory, const Level& level, const std::vector<std::int64_t>& pages, std::int64_t unit) {
  constexpr std::ptrdiff_t few = 4;
  // What delays a single load now and then does not strike the same page twice.
  const Walk walk = over(memory, level, pages, unit);
  Look result{.fits = false, .missed = std::vector<bool>(pages.size(), true)};
  for (int attempt = 0; attempt < 2; ++attempt) {
    const ExtraLatency seen = extra_latency(memory, walk);
    const auto now = missing(seen, level);
    std::transform(result.missed.begin(), result.missed.end(), now.begin(), result.missed.begin(),
                   std::logical_and<>());
    const auto misses = std::ranges::count(result.missed, true);
    result.fits = misses == 0 && !more_misses_than_strays(seen, level);
    if (result.fits || misses > few) return result;
  }
  return result;
}

/// How many pages to try next, when `low` fit and of `high` some missed. Under LRU, pages that do not miss lie in sets
/// that fit: so the number at which misses begin ends with one that missed.
std::int64_t next_number(std::int64_t low, std::int64_t high, const std::vector<bool>& missed) {
  std::vector<std::int64_t> promising;
  for (std::int64_t page = low; page < high; ++page) {
    if (!missed[static_cast<std::size_t>(page)]) continue;
    for (const std::int64_t pages : {page, page + 1}) {
      if (pages > low && pages < high && (promising.empty() || promising.back() != pages)) promising.push_back(pages);
    }
  }
  return promising.empty() ? low + (high - low) / 2 : promising[promising.size() / 2];
}

}  // namespace

std::vector<bool> missing(const ExtraLatency& extra_latency, const Level& level) {
  std::vector<bool> result;
  const auto medians = extra_latency.medians();
  for (std::size_t visit = 0; visit < extra_latency.visits; ++visit) {
    std::size_t misses = 0;
    for (std::size_t pass = 0; pass < extra_latency.passes(); ++pass) {
      misses += extra_latency.at(pass, visit) > level.threshold() ? 1 : 0;
    }
    result.push_back(medians[visit] > level.threshold() || (level.sharp() && 4 * misses > extra_latency.passes()));
  }
  return result;
}

bool can_tell(const Memory& memory, const Level& level, std::int64_t pages) {
  return possible_passes(memory, pages, level.passes()) == level.passes();
}

Walk over(const Memory& memory, const Level& level, std::vector<std::int64_t> pages, std::int64_t unit) {
  constexpr std::int64_t many_visits = 512;
  const auto visits = static_cast<std::int64_t>(pages.size());
  const std::int64_t fewest = level.sharp() ? 1 : 3;
  const std::int64_t wanted = std::max(level.passes(), std::clamp<std::int64_t>(many_visits / visits | 1, fewest, 25));
  return {.pages = std::move(pages), .unit = unit, .passes = possible_passes(memory, visits, wanted)};
}

bool fits(const Memory& memory, const Level& level, const std::vector<std::int64_t>& pages, std::int64_t unit) {
  return look_at(memory, level, pages, unit).fits;
}

std::optional<std::int64_t> most_fitting(const Memory& memory, const Level& level, std::int64_t stride,
                                         std::span<const Cell> matrix) {
  const Bracket bracket = tlb::bracket(matrix, level, stride);
  const std::int64_t most = std::min(memory.most_visits, (memory.bytes - 2 * spread(stride)) / stride + 1);
  const auto look = [&](std::int64_t pages) { return look_at(memory, level, evenly(stride, pages), spread(stride)); };
  std::int64_t low = std::clamp<std::int64_t>(bracket.fits, 1, most);
  while (low > 1 && !look(low).fits) low /= 2;
  std::int64_t high = std::clamp<std::int64_t>(bracket.overflows.value_or(most), low + 1, most);
  Look over;
  while (high > low) {
    if (!can_tell(memory, level, high)) return std::nullopt;
    over = look(high);
    if (!over.fits) break;
    if (high == most) return std::nullopt;
    low = high;
    high = std::min(2 * high, most);
  }
  while (high - low > 1) {
    const std::int64_t pages = next_number(low, high, over.missed);
    Look here = look(pages);
    if (here.fits) {
      low = pages;
    } else {
      high = pages;
      over = std::move(here);
    }
  }
  return low;
}

std::optional<Fill> fill(const Memory& memory, const Level& level, std::span<const Cell> matrix) {
  // Where one miss brings nearly all that the level holds, the smallest strides meet few.
  constexpr std::size_t enough = 6;
  std::optional<Fill> found;
  for (const Walk& walk : overflowing_walks(memory, level, matrix)) {
    const auto seen = distances(memory, level, walk);
    if (!seen || (found && seen->bytes == seen->stride)) continue;
    found = seen;
    if (found->distance.size() >= enough || found->bytes == found->stride) return found;
  }
  if (!found) return found;
  const auto seen = distances(memory, level, widest_walk(memory, level, matrix));
  return seen && seen->bytes > seen->stride && seen->distance.size() >= found->distance.size() ? seen : found;
}

std::optional<bool> one_entry(const Memory& memory, const Level& level, std::int64_t distance,
                              std::span<const Cell> matrix) {
  const std::int64_t stride = 2 * distance;
  const auto most = most_fitting(memory, level, stride, matrix);
  if (!most) return std::nullopt;
  // At one of four offsets, page and neighbour with all their lines lie in one aligned region, if there is one.
  constexpr std::int64_t offsets = 4;
  const std::int64_t unit = spread(distance / 4);
  for (std::int64_t i = 0; i < offsets; ++i) {
    const std::int64_t start = i * distance / 2;
    if (start + *most * stride + distance + unit > memory.bytes || 2 * *most > memory.most_visits) return std::nullopt;
    if (!can_tell(memory, level, 2 * *most)) return std::nullopt;
    const auto pages = evenly(stride, *most, start);
    std::vector<std::int64_t> with_neighbours;
    for (const std::int64_t page : pages) {
      with_neighbours.push_back(page);
      with_neighbours.push_back(page + distance);
    }
    if (!fits(memory, level, with_neighbours, unit)) continue;
    auto moved = pages;
    moved.push_back(start + *most * stride + distance);
    if (!fits(memory, level, moved, unit)) return true;
  }
  return false;
}

std::int64_t retained(const Memory& memory, const Level& level, const std::vector<std::int64_t>& pages,
                      std::int64_t unit) {
  Walk walk{.pages = pages, .unit = unit};
  walk.pages.insert(walk.pages.end(), pages.rbegin(), pages.rend());
  walk.passes = possible_passes(memory, static_cast<std::int64_t>(walk.pages.size()), level.passes());
  std::int64_t most = 0;
  for (int look = 0; look < 2; ++look) {
    const auto missed = missing(extra_latency(memory, walk), level);
    const auto backwards = missed.begin() + static_cast<std::ptrdiff_t>(pages.size());
    most = std::max<std::int64_t>(most, std::count(backwards, missed.end(), false));
  }
  return most;
}

}  // namespace tomograph::tlb
