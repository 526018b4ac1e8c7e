#include "acquire_past_l2.hpp"

#include <algorithm>

#include "acquire_large_walk.hpp"
#include "acquire_memory.hpp"

namespace tomograph::tlb {

namespace {

/// Visits that are timed: shares of them have a standard error of 1.4 % at most.
constexpr std::int64_t most_timed_visits = 1024;

/// A number of evenly spaced pages of which each thread has the same.
struct Pages {
  std::int64_t count;
  std::int64_t stride;
  std::int64_t lines_of_each;
};

/// At most `most` pages all over the memory, with `lines` lines in all. Nothing if pages do not have so many.
std::optional<Pages> pages_over(const Memory& memory, std::int64_t most, std::int64_t lines) {
  const std::int64_t widest = memory.bytes - memory.widest_spread;
  const std::int64_t count = std::min(most, widest / memory.widest_spread) / walkers * walkers;
  if (count == 0) return std::nullopt;
  const std::int64_t stride = widest / count / memory.widest_spread * memory.widest_spread;
  const Pages pages{count, stride, (lines + count - 1) / count};
  return pages.lines_of_each <= memory.spread(stride) / memory.line ? std::optional(pages) : std::nullopt;
}

/// Offsets of the lines in the order in which threads pass them, part after part: all pages of a part in random order,
/// then again at their next lines. At any time, all threads together have passed each page equally often.
std::vector<std::int64_t> offsets_of(const Memory& memory, const Pages& pages) {
  const auto order =
      chase::node_offsets({.stride = 1, .count = pages.count, .order = chase::Order::shuffled, .seed = pages.count});
  const std::int64_t lines = memory.spread(pages.stride) / memory.line;
  const std::int64_t part = pages.count / walkers;
  std::vector<std::int64_t> offsets;
  for (std::int64_t first = 0; first < pages.count; first += part) {
    for (std::int64_t pass = 0; pass < pages.lines_of_each; ++pass) {
      for (std::int64_t i = first; i < first + part; ++i) {
        const std::int64_t page = order[static_cast<std::size_t>(i)];
        const std::int64_t line = (line_of_visit(page, lines) + pass * (lines / pages.lines_of_each)) % lines;
        offsets.push_back(page * pages.stride + line * memory.line);
      }
    }
  }
  return offsets;
}

chase::Program walk_past_l2(const Memory& memory, const Pages& pages) {
  const auto offsets = offsets_of(memory, pages);
  return large_walk(memory, offsets, 2, std::min({most_timed_visits, memory.most_timed / 2, std::ssize(offsets)}));
}

}  // namespace

std::optional<WalksPastL2> walks_past_l2(const Memory& memory) {
  if (memory.l2_lines == 0 || memory.most_visits >= most_visits_of_any) return std::nullopt;
  const std::int64_t lines = 2 * memory.l2_lines;
  const auto few = pages_over(memory, memory.most_visits, lines);
  const auto many = pages_over(memory, most_visits_of_any, lines);
  if (!few || !many || many->count < 2 * few->count) return std::nullopt;
  try {
    const auto results = memory.execute(std::vector{walk_past_l2(memory, *few), walk_past_l2(memory, *many)});
    return WalksPastL2{few->count, differences(results[0].traces.front()), many->count,
                       differences(results[1].traces.front())};
  } catch (const Refused&) {
    return std::nullopt;
  }
}

}  // namespace tomograph::tlb
