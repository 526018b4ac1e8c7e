#include "acquire_fit.hpp"

#include <algorithm>
#include <utility>

#include "analysis_fit.hpp"
#include "tomograph/session.hpp"

namespace tomograph::tlb {

namespace {

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

/// Whether the walk's visits exceed the threshold hardly more often than those of half of its pages. True if walks that
/// take long leave it open, or a device refuses them: recordings may not know them.
bool miss_like_half(const Memory& memory, const Level& level, Walk walk, Misses all) {
  constexpr int most_walks = 8;  // of either kind, some 1 ms each on an H200
  Walk half = walk;
  half.pages.clear();
  for (std::size_t page = 0; page < walk.pages.size(); page += 2) half.pages.push_back(walk.pages[page]);
  half.passes = possible_passes(memory, std::ssize(half.pages), 2 * walk.passes);
  Misses few(level, half.pages.size());
  try {
    for (int walks = 1; walks <= most_walks; ++walks, ++walk.first_line, ++half.first_line) {
      if (walks > 1) all.add(extra_latency(memory, walk));
      few.add(extra_latency(memory, half));
      if (const auto alike = exceed_alike(all, few)) return *alike;
    }
  } catch (const Refused&) {
    return true;
  }
  return true;
}

/// Passes over settled pages that decide about a sharp level. With two misses in each expected, at most one in each is
/// seen with probability 0.01 (Poisson).
constexpr std::int64_t enough_passes = 8;

/// Whether `walks` walks over a sharp level, each over other lines, decide. `others` tells whether passes of a walk
/// load others, too.
bool is_decided(const Misses& seen, std::int64_t walks, bool others) {
  // One delayed visit of 1,000 makes none of 2,000 pages miss three times: a false alarm in 2e-6.
  constexpr std::int64_t enough_to_miss = 3;
  // With probability 6e-4, as above.
  constexpr std::int64_t enough_for_few = 3 * enough_passes;
  if (!seen.none_missed()) return seen.passes() >= enough_to_miss && (walks > 1 || others);
  return seen.passes() >= (seen.are_few() ? enough_for_few : enough_passes);
}

/// Where the first walk does not decide, a level whose victims are random may not have settled, or a delay or a line
/// that L2 does not hold was taken for a miss, which rarely strikes the same page at another line.
FitTest test_settled(const Memory& memory, const Level& level, Walk walk) {
  constexpr std::int64_t enough_behind_noise = 64;  // more visits tell a few misses from chance
  const std::int64_t pages = std::ssize(walk.pages);
  const std::int64_t wanted = level.sharp() ? enough_passes : enough_behind_noise;
  walk.warm = settling_walks(pages);
  walk.passes = std::max(walk.passes, possible_passes(memory, pages, wanted));
  Misses seen(level, walk.pages.size());
  std::int64_t walks = 0;
  do {
    ++walk.first_line;
    seen.add(extra_latency(memory, walk));
    ++walks;
  } while (level.sharp() && !is_decided(seen, walks, loads_other_lines(memory, walk)));
  if (!level.sharp()) {
    const bool is_unsure = seen.fit() && seen.above() > seen.passes();
    return {seen.fit() && (!is_unsure || miss_like_half(memory, level, walk, seen)), seen.missed()};
  }
  const bool may_be_of_lines = seen.none_missed() && loads_other_lines(memory, walk);
  return {seen.fit() || (may_be_of_lines && seen.fit(share_of_lines(memory, level, walk))), seen.missed()};
}

}  // namespace

bool can_tell(const Memory& memory, const Level& level, std::int64_t pages) {
  return can_time(memory, pages) && possible_passes(memory, pages, level.passes()) == level.passes();
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

FitTest test_fit(const Memory& memory, const Level& level, const std::vector<std::int64_t>& pages, std::int64_t unit) {
  Walk walk = over(memory, level, pages, unit);
  walk.warm = warming_walks(std::ssize(pages));
  if (level.sharp()) {
    Misses seen(level, pages.size());
    seen.add(extra_latency(memory, walk));
    const bool none = seen.above() == 0;
    const bool decides = none || seen.most_missed() || (seen.are_constant() && loads_other_lines(memory, walk));
    if (decides) return {none, seen.missed()};
  }
  return test_settled(memory, level, std::move(walk));
}

bool fits(const Memory& memory, const Level& level, const std::vector<std::int64_t>& pages, std::int64_t unit) {
  return test_fit(memory, level, pages, unit).fits;
}

}  // namespace tomograph::tlb
