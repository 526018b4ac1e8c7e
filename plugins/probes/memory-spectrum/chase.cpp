#include <algorithm>
#include <numeric>
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

/// Pages one TLB entry apart, of which some are met first where they are timed; others, walked before that, leave no
/// entry of any of these in a TLB: whatever wrote their lines had brought some.
struct Pages {
  std::int64_t count = 0;
  std::int64_t span = 0;    ///< of the widest entry
  std::int64_t over = 0;    ///< so many overflow every TLB
  std::int64_t unmet = 0;   ///< at most so many of them are left to be met first
  std::int64_t window = 0;  ///< of them, so many are in one window of page tables

  [[nodiscard]] Region at(std::int64_t number) const { return {number * span, std::min(span, page)}; }
};

std::optional<Pages> pages_of(const Known& known) {
  if (known.tlb.empty()) return std::nullopt;
  Pages found;
  std::int64_t entries = 0;
  for (const Tlb& level : known.tlb) {
    entries = std::max(entries, level.entries);
    found.span = std::max(found.span, level.span);
  }
  found.count = (known.memory - page) / found.span;
  found.over = std::min(2 * entries + 2, found.count);
  const std::int64_t fewest = entries + entries / 8 + 2;
  // A hashed index overflows some sets later than others.
  const std::int64_t enough = entries + entries / 4 + 2;
  found.unmet = found.count - std::clamp(3 * found.count / 4, fewest, enough);
  if (found.unmet < 2) return std::nullopt;
  found.window = std::min(known.window.value_or(found.count * found.span) / found.span, found.count);
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

/// Which SM meets which pages first. Each page is one SM's, once.
struct Meetings {
  explicit Meetings(std::int64_t sms) : across(static_cast<std::size_t>(sms)), within(static_cast<std::size_t>(sms)) {}
  using Run = std::vector<std::int64_t>;  ///< numbers of pages, in the order in which they are met
  std::vector<Run> across;                ///< by SM: each page in another window than the one before
  std::vector<std::vector<Run>> within;   ///< by SM: pages by address, each run within one window
  Run others;                             ///< pages that overflow every TLB, none of those above
};

/// Takes the lower half of each window, the same page of all windows before the next one.
void meet_across(const Plan& plan, const Pages& pages, std::int64_t windows, Meetings& found) {
  const std::int64_t most = std::min(pages.unmet / 2, pages.window / 2 * windows);
  const std::int64_t each = std::min(std::max(most / plan.sms, windows), plan.timed);
  for (std::int64_t next = 0; next + each <= most && next < plan.sms * each; next += each) {
    auto& run = found.across[static_cast<std::size_t>(next / each)];
    for (std::int64_t i = next; i < next + each; ++i) run.push_back(i % windows * pages.window + i / windows);
  }
}

/// Takes windows from page `lower` of each on, in runs of no more than half a window: the array may begin anywhere in
/// one.
void meet_within(const Plan& plan, const Pages& pages, std::int64_t lower, std::int64_t most, Meetings& found) {
  const std::int64_t half = plan.window ? pages.window / 2 : pages.count;
  const std::int64_t length = std::max<std::int64_t>(std::min({most / plan.sms, plan.timed, half}), 2);
  const std::int64_t runs = std::min(most / length, plan.timed / length * plan.sms);
  std::int64_t run = 0;
  for (std::int64_t start = 0; start + pages.window <= pages.count; start += pages.window) {
    for (std::int64_t number = start + lower; number + length <= start + pages.window && run < runs; number += length) {
      Meetings::Run numbers(static_cast<std::size_t>(length));
      std::iota(numbers.begin(), numbers.end(), number);
      found.within[static_cast<std::size_t>(run++ % plan.sms)].push_back(std::move(numbers));
    }
  }
}

Meetings arrange(const Plan& plan, const Pages& pages) {
  constexpr std::int64_t fewest_windows = 4;
  Meetings found(plan.sms);
  const std::int64_t windows = plan.window ? pages.count / pages.window : 0;
  const bool changes = windows >= fewest_windows;
  if (changes) meet_across(plan, pages, windows, found);
  meet_within(plan, pages, changes ? pages.window / 2 : 0, changes ? pages.unmet / 2 : pages.unmet, found);
  std::vector<bool> unmet(static_cast<std::size_t>(pages.count));
  const auto leave_out = [&](const Meetings::Run& run) {
    for (const std::int64_t number : run) unmet[static_cast<std::size_t>(number)] = true;
  };
  std::ranges::for_each(found.across, leave_out);
  for (const auto& runs : found.within) std::ranges::for_each(runs, leave_out);
  for (std::int64_t number = 0; number < pages.count && std::ssize(found.others) < pages.over; ++number) {
    if (!unmet[static_cast<std::size_t>(number)]) found.others.push_back(number);
  }
  return found;
}

/// Lays lines, each one once, over array 0, and adds rings and phases. One SM at a time makes the loads.
class Builder {
 public:
  Builder(const Known& known, std::int64_t trial, const std::vector<std::int64_t>& sms)
      : known_(known), random_(static_cast<std::uint64_t>(trial)) {
    chase_.program.arrays = {{known.memory}};
    chase_.program.alone = true;
    chase_.program.trial = trial;
    for (const std::int64_t sm : sms) chase_.program.actors.push_back({.sm = sm, .path = chase::Path::global_cg});
  }

  /// This one of the SMs makes the loads of the phases to come.
  void go_to(std::size_t sm) { actor_ = static_cast<std::int64_t>(sm); }

  /// A ring over one fresh line of each region, in this order.
  std::int64_t ring(const std::vector<Region>& regions) {
    chase::Ring ring;
    for (const Region& region : regions) ring.nodes.push_back(fresh_line(region));
    return cache::add_ring(chase_.program, std::move(ring));
  }
  void walk(std::int64_t ring, std::int64_t loads) {
    chase_.program.phases.push_back({.actor = actor_, .ring = ring, .loads = loads});
  }
  void time(std::size_t pattern, std::int64_t ring, std::int64_t loads, std::int64_t first = 0) {
    const std::int64_t sm = chase_.program.actors[static_cast<std::size_t>(actor_)].sm;
    chase_.phases.at(pattern).push_back({traces_++, sm});
    chase_.program.phases.push_back(
        {.actor = actor_, .ring = ring, .first = first, .loads = loads, .timing = chase::Timing::each});
  }
  /// Pushes all lines out of L2.
  void flush(std::int64_t sm) {
    const cache::Subject l2{.path = chase::Path::global_cg, .carveout = 0, .shared = true, .sm = sm};
    cache::add_flush(chase_.program, l2, 2 * known_.l2_bytes);
  }
  Chase take() { return std::move(chase_); }

 private:
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
  std::int64_t actor_ = 0;
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

std::vector<Region> regions_of(const Pages& pages, const Meetings::Run& run) {
  std::vector<Region> regions;
  for (const std::int64_t number : run) regions.push_back(pages.at(number));
  return regions;
}

/// Cold lines of pages that are met first. The first load is not timed: it may find the page-table window elsewhere.
void time_meeting(Builder& builder, std::size_t pattern, const Pages& pages, const Meetings::Run& run) {
  const std::int64_t ring = builder.ring(regions_of(pages, run));
  builder.walk(ring, 1);
  builder.time(pattern, ring, std::ssize(run) - 1, 1);
}

/// P6 and P5 of each SM in turn, before anything else: no walk over more pages shall come before them.
void time_meetings(Builder& builder, const Plan& plan, const Pages& pages) {
  const Meetings meetings = arrange(plan, pages);
  const std::int64_t others = builder.ring(regions_of(pages, meetings.others));
  for (std::size_t sm = 0; sm < meetings.within.size(); ++sm) {
    builder.go_to(sm);
    builder.walk(others, std::ssize(meetings.others));
    if (meetings.across[sm].size() > 1) time_meeting(builder, 5, pages, meetings.across[sm]);
    for (const auto& run : meetings.within[sm]) time_meeting(builder, 4, pages, run);
  }
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
std::vector<Region> beyond_levels(const Plan& known, const Pages& pages) {
  constexpr std::int64_t share_of_l2 = 4;
  auto regions = in_turn(pages.over, pages.span, known);
  if (share_of_l2 * static_cast<std::int64_t>(regions.size()) * known.line > known.l2_bytes) regions.clear();
  return regions;
}

}  // namespace

Chase build(const Known& known, std::int64_t trial, std::int64_t trials) {
  const auto sms = chosen_sms(known.sm_count, trial, trials);
  const Plan plan(known, sms.size());
  const Close close(plan);
  const auto pages = pages_of(known);
  Builder builder(known, trial, sms);
  Hits second(between_levels(plan));
  Hits walks(pages ? beyond_levels(plan, *pages) : std::vector<Region>{});
  // Of the rings whose loads shall miss no phase touches a line before their own, and this pushes out what wrote them:
  // their lines and the page tables that led there.
  builder.flush(sms.front());
  if (pages) time_meetings(builder, plan, *pages);
  for (std::size_t sm = 0; sm < sms.size(); ++sm) {
    builder.go_to(sm);
    time_translated(builder, close);
    second.time(builder, 1, plan.timed);
    walks.time(builder, 2, plan.timed);
  }
  return builder.take();
}

}  // namespace tomograph::memory_spectrum
