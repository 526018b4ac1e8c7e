#include <algorithm>
#include <random>
#include <stdexcept>
#include <unordered_set>

#include "spectrum.hpp"
#include "tomograph/cache/hit_and_miss.hpp"

namespace tomograph::memory_spectrum {

namespace {

constexpr std::int64_t page = chase::array_alignment;

/// What is known, and how many loads of a pattern each SM makes: many in all, but so few that their record, and that of
/// the other patterns, fits the least shared memory.
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

/// Pages, a stride apart, that leave no entry of before in any TLB when they are visited in order: the last `kept` of
/// them fill the largest.
struct Overflow {
  std::int64_t pages = 0;
  std::int64_t span = 0;    ///< of the widest entry
  std::int64_t stride = 0;  ///< a bit more, so that the lines of the pages do not all go to one set of the cache
  std::int64_t kept = 0;

  /// The pages from 0 on that are in no TLB afterwards.
  [[nodiscard]] std::int64_t gone() const { return pages - kept - 2; }
};

std::optional<Overflow> overflow(const Known& known) {
  if (known.tlb.empty()) return std::nullopt;
  Overflow found;
  for (const Tlb& level : known.tlb) {
    found.kept = std::max(found.kept, level.entries);
    found.span = std::max(found.span, level.span);
  }
  found.stride = found.span + 2 * known.line;
  found.pages = std::min(2 * found.kept + 2, (known.memory - page) / found.stride);
  if (found.gone() < std::max<std::int64_t>(found.kept / 8, 2)) return std::nullopt;
  return found;
}

/// SMs all over the device, others in each trial as far as there are.
std::vector<std::int64_t> chosen_sms(std::int64_t sm_count, std::int64_t trial, std::int64_t trials) {
  constexpr std::int64_t most = 16;
  const std::int64_t count = std::min(most, sm_count);
  std::vector<std::int64_t> sms;
  for (std::int64_t i = 0; i < count; ++i) sms.push_back((i * trials + trial) * sm_count / (count * trials));
  return sms;
}

/// Lays lines, each one once, over array 0, and adds rings and phases. One SM at a time makes the loads.
class Builder {
 public:
  Builder(const Known& known, std::int64_t trial) : known_(known), random_(static_cast<std::uint64_t>(trial)) {
    chase_.program.arrays = {{known.memory}};
    chase_.program.alone = true;
    chase_.program.trial = trial;
  }

  /// Makes the loads of the phases to come.
  void go_to(std::int64_t sm) { chase_.program.actors.push_back({.sm = sm, .path = chase::Path::global_cg}); }

  /// A ring over one fresh line of each region, in this order.
  std::int64_t ring(const std::vector<Region>& regions) {
    chase::Ring ring;
    for (const Region& region : regions) ring.nodes.push_back(fresh_line(region));
    return cache::add_ring(chase_.program, std::move(ring));
  }
  /// A ring over the first lines of pages that overflow all TLBs.
  std::int64_t ring(const Overflow& pages) {
    for (std::int64_t i = 0; i < pages.pages; ++i) taken_.insert(i * pages.stride);
    return cache::add_ring(chase_.program, {.array = 0, .start = 0, .stride = pages.stride, .count = pages.pages});
  }
  void walk(std::int64_t ring, std::int64_t loads) {
    chase_.program.phases.push_back({.actor = actor(), .ring = ring, .loads = loads});
  }
  void time(std::size_t pattern, std::int64_t ring, std::int64_t loads, std::int64_t first = 0) {
    chase_.phases.at(pattern).push_back({traces_++, chase_.program.actors.back().sm});
    chase_.program.phases.push_back(
        {.actor = actor(), .ring = ring, .first = first, .loads = loads, .timing = chase::Timing::each});
  }
  /// Pushes all lines out of L2.
  void flush(std::int64_t sm) {
    const cache::Subject l2{.path = chase::Path::global_cg, .carveout = 0, .shared = true, .sm = sm};
    cache::add_flush(chase_.program, l2, 2 * known_.l2_bytes);
  }
  Chase take() { return std::move(chase_); }

 private:
  [[nodiscard]] std::int64_t actor() const { return static_cast<std::int64_t>(chase_.program.actors.size()) - 1; }

  std::int64_t fresh_line(const Region& region) {
    // Every other line: what a miss brings beside its line is not used.
    const std::int64_t step = 2 * known_.line;
    const std::int64_t slots = region.bytes / step;
    const auto first = static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(slots));
    for (std::int64_t i = 0; i < slots; ++i) {
      const std::int64_t node = region.start + (first + i) % slots * step;
      if (taken_.insert(node).second) return node;
    }
    throw std::length_error("the pages of this device have too few lines for the latency spectrum");
  }

  const Known& known_;
  Chase chase_;
  std::size_t traces_ = 0;
  std::mt19937_64 random_;
  std::unordered_set<std::int64_t> taken_;
};

/// Loads that the first TLB translates (P1, P4): anywhere within a quarter of its reach.
struct Close {
  explicit Close(const Plan& known) {
    constexpr std::int64_t few = 4;
    const Tlb first = known.tlb.empty() ? Tlb{1, page} : known.tlb.front();
    all.bytes = std::min(std::clamp<std::int64_t>(first.entries / 4, 1, few) * first.span, known.memory);
    const std::int64_t step = std::min(first.span, page);
    for (std::int64_t start = 0; start < all.bytes; start += step) each_page.push_back({start, step});
    loads = std::min(known.timed, all.bytes / (16 * known.line * known.sms));
  }
  Region all;
  std::vector<Region> each_page;
  std::int64_t loads;
};

/// Pages that no TLB holds any more, within one window of page tables (P5), by address.
std::vector<Region> forgotten_pages(const Plan& known, const Overflow& pages) {
  std::int64_t count = std::min(known.timed, pages.gone());
  if (known.window) count = std::min(count, std::max<std::int64_t>(*known.window / 2 / pages.span, 2));
  std::vector<Region> regions;
  for (std::int64_t i = 0; i < count; ++i) regions.push_back({i * pages.span, std::min(pages.span, page)});
  return regions;
}

/// Pages that no TLB holds any more, each in another window of page tables than the one before (P6).
std::vector<Region> forgotten_windows(const Plan& known, const Overflow& pages) {
  constexpr std::int64_t least = 4;
  std::vector<Region> regions;
  const std::int64_t windows = known.window ? (known.memory - page) / *known.window : 0;
  if (windows < least) return regions;
  const auto kept = [&](std::int64_t start) {
    const std::int64_t number = start / pages.span;
    return number >= pages.gone() && number <= pages.pages;
  };
  const auto enough = static_cast<std::size_t>(known.timed);
  for (std::int64_t within = 0; within < *known.window / 2; within += pages.span) {
    for (std::int64_t i = 0; i < windows && regions.size() < enough; ++i) {
      const std::int64_t start = i * *known.window + within;
      if (!kept(start)) regions.push_back({start, std::min(pages.span, page)});
    }
  }
  return regions;
}

/// One page after the other and then again, other lines each time, as many loads as are wanted. The last page is
/// followed by the first, lap after lap.
std::vector<Region> in_turn(std::int64_t pages, std::int64_t stride, const Plan& plan) {
  const std::int64_t bytes = std::min(stride, page);
  const std::int64_t own_share = bytes / (16 * plan.line * plan.sms);
  const std::int64_t laps = std::max<std::int64_t>(std::min(plan.timed / pages, own_share), 1);
  std::vector<Region> regions;
  for (std::int64_t i = 0; i < laps * pages; ++i) regions.push_back({i % pages * stride, bytes});
  return regions;
}

/// Loads of lines that L2 holds: the ring is walked twice and timed the third time, from node `first` on.
void time_hits(Builder& builder, std::size_t pattern, std::int64_t ring, std::int64_t lines, std::int64_t loads,
               std::int64_t first = 0) {
  builder.walk(ring, 2 * lines + first);
  builder.time(pattern, ring, loads, first);
}

/// Lines that L2 holds of regions in turn. Where there are more than one SM visits, all share them and begin where the
/// one before ended; else each has its own.
class Hits {
 public:
  explicit Hits(std::vector<Region> regions) : regions_(std::move(regions)) {}

  void time(Builder& builder, std::size_t pattern, std::int64_t timed) {
    const auto lines = static_cast<std::int64_t>(regions_.size());
    if (lines == 0) return;
    if (!ring_ || lines <= timed) ring_ = builder.ring(regions_);
    time_hits(builder, pattern, *ring_, lines, std::min(lines, timed), first_);
    first_ = lines <= timed ? 0 : (first_ + timed) % lines;
  }

 private:
  std::vector<Region> regions_;
  std::optional<std::int64_t> ring_;
  std::int64_t first_ = 0;
};

/// Cold lines of pages that every TLB has forgotten. The first load is not timed: it may find the page-table window
/// elsewhere.
void time_forgotten(Builder& builder, std::size_t pattern, std::int64_t evictors, const Overflow& pages,
                    const std::vector<Region>& regions) {
  const std::int64_t ring = builder.ring(regions);
  builder.walk(evictors, pages.pages);
  builder.walk(ring, 1);
  builder.time(pattern, ring, static_cast<std::int64_t>(regions.size()) - 1, 1);
}

/// P6 and P5.
void time_cold_walks(Builder& builder, const Plan& known, const Overflow& pages, std::int64_t evictors) {
  constexpr std::int64_t most_rounds = 4;
  const auto windows = forgotten_windows(known, pages);
  if (!windows.empty()) time_forgotten(builder, 5, evictors, pages, windows);
  const auto forgotten = forgotten_pages(known, pages);
  const std::int64_t rounds = std::min(most_rounds, known.timed / static_cast<std::int64_t>(forgotten.size()));
  for (std::int64_t round = 0; round < rounds; ++round) time_forgotten(builder, 4, evictors, pages, forgotten);
}

/// P4 and P1.
void time_translated(Builder& builder, const Close& close) {
  builder.walk(builder.ring(close.each_page), 2 * static_cast<std::int64_t>(close.each_page.size()));
  const std::vector<Region> anywhere(static_cast<std::size_t>(close.loads), close.all);
  builder.time(3, builder.ring(anywhere), close.loads);
  time_hits(builder, 0, builder.ring(anywhere), close.loads, close.loads);
}

/// P2: pages that the first TLB cannot hold and the second can.
std::vector<Region> between_levels(const Plan& known) {
  if (known.tlb.size() < 2) return {};
  const auto& [entries, span] = known.tlb[1];
  const std::int64_t stride = std::max(known.tlb[0].span, span);
  const std::int64_t pages = std::min({4 * known.tlb[0].entries, entries / 2, (known.memory - page) / stride});
  return pages < 2 * known.tlb[0].entries ? std::vector<Region>{} : in_turn(pages, stride, known);
}

/// P3: pages that no TLB can hold, if L2 holds what is walked.
std::vector<Region> beyond_levels(const Plan& known, const Overflow& pages) {
  constexpr std::int64_t share_of_l2 = 4;
  auto regions = in_turn(pages.pages, pages.span, known);
  if (share_of_l2 * static_cast<std::int64_t>(regions.size()) * known.line > known.l2_bytes) regions.clear();
  return regions;
}

}  // namespace

Chase build(const Known& known, std::int64_t trial, std::int64_t trials) {
  const auto sms = chosen_sms(known.sm_count, trial, trials);
  const Plan plan(known, sms.size());
  const Close close(plan);
  const auto pages = overflow(known);
  Builder builder(known, trial);
  const std::int64_t evictors = pages ? builder.ring(*pages) : 0;
  Hits second(between_levels(plan));
  Hits walks(pages ? beyond_levels(plan, *pages) : std::vector<Region>{});
  // Of the rings whose loads shall miss no phase touches a line before their own, and this pushes out what wrote them.
  builder.flush(sms.front());
  for (const std::int64_t sm : sms) {
    builder.go_to(sm);
    if (pages) time_cold_walks(builder, plan, *pages, evictors);
    time_translated(builder, close);
    second.time(builder, 1, plan.timed);
    walks.time(builder, 2, plan.timed);
  }
  return builder.take();
}

}  // namespace tomograph::memory_spectrum
