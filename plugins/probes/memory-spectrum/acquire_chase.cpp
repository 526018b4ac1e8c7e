#include "acquire_chase.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <unordered_set>

#include "acquire_pages.hpp"
#include "tomograph/cache/hit_and_miss.hpp"
#include "tomograph/session.hpp"
#include "tomograph/tlb/eviction.hpp"

namespace tomograph::memory_spectrum {

namespace {

/// SMs all over the device, others in each trial as far as there are.
std::vector<std::int64_t> chosen_sms(std::int64_t sm_count, std::int64_t trial, std::int64_t trials) {
  // So many SMs show near and far ones, and leave each enough loads. Chosen on an H200.
  constexpr std::int64_t most = 16;
  const std::int64_t count = std::min(most, sm_count);
  std::vector<std::int64_t> sms;
  for (std::int64_t i = 0; i < count; ++i) sms.push_back((i * trials + trial % trials) * sm_count / (count * trials));
  return sms;
}

/// Places lines in array 0, each once, and adds rings and phases. One SM at a time makes the loads.
class Builder {
 public:
  Builder(const Known& known, std::int64_t trial, const std::vector<std::int64_t>& sms)
      : known_(known), random_(static_cast<std::uint64_t>(trial)) {
    chase_.program.arrays = {{known.memory}};
    chase_.program.alone = true;
    chase_.program.trial = trial;
    for (const std::int64_t sm : sms) chase_.program.actors.push_back({.sm = sm, .path = chase::Path::global_cg});
  }

  /// This SM makes the loads of all following phases.
  void go_to(std::size_t sm) { actor_ = static_cast<std::int64_t>(sm); }

  /// A ring over one fresh line of each region, in this order: one node of each, or two in a sector.
  std::int64_t ring(const std::vector<Region>& regions, std::int64_t nodes_of_each = 1) {
    chase::Ring ring;
    for (const Region& region : regions) {
      const std::int64_t line = fresh_line(region);
      for (std::int64_t i = 0; i < nodes_of_each; ++i) ring.nodes.push_back(line + i * chase::node_bytes);
    }
    return cache::add_ring(chase_.program, std::move(ring));
  }
  void walk(std::int64_t ring, std::int64_t loads) {
    chase_.program.phases.push_back({.actor = actor_, .ring = ring, .loads = loads});
  }
  /// Threads pass the ring together, so that it takes little time.
  void pass(std::int64_t ring, std::int64_t nodes, std::int64_t times) {
    // Eight warps hide what a load takes. More gain nothing: pages that a TLB misses come one after another.
    constexpr std::int64_t threads = 256;
    const auto [passing, is_new] = passing_.try_emplace(actor_, std::ssize(chase_.program.actors));
    if (is_new) {
      const std::int64_t sm = chase_.program.actors[static_cast<std::size_t>(actor_)].sm;
      chase_.program.actors.push_back({.sm = sm, .path = chase::Path::global_cg, .threads = threads});
    }
    chase_.program.phases.push_back(
        {.actor = passing->second, .ring = ring, .loads = times * chase::loads_to_pass(nodes, threads)});
  }
  void time(std::size_t pattern, std::int64_t ring, std::int64_t loads, std::int64_t first = 0) {
    const std::int64_t sm = chase_.program.actors[static_cast<std::size_t>(actor_)].sm;
    chase_.phases.at(pattern).push_back({traces_++, sm});
    chase_.program.phases.push_back(
        {.actor = actor_, .ring = ring, .first = first, .loads = loads, .timing = chase::Timing::each});
  }
  /// Evicts all lines from L2.
  void flush(std::int64_t sm) {
    const cache::Subject l2{.path = chase::Path::global_cg, .carveout = 0, .shared = true, .sm = sm};
    cache::add_flush(chase_.program, l2, flush_bytes(known_));
  }
  Chase take() {
    Penalties penalties{.tlb = {}, .window = known_.window_penalty, .l2 = known_.l2_penalty};
    for (const Tlb& level : known_.tlb) penalties.tlb.push_back(level.penalty);
    for (std::size_t i = 0; i < patterns.size(); ++i) {
      if (is_paired(i)) chase_.differences.at(i) = differences_of(i, penalties);
    }
    return std::move(chase_);
  }

 private:
  std::int64_t fresh_line(const Region& region) {
    // One line of two, either of them, so that what a miss brings beside its line is not used and all slices of L2 are.
    const std::int64_t step = 2 * known_.line;
    const std::int64_t slots = region.bytes / step;
    const auto first = static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(slots));
    for (std::int64_t i = 0; i < slots; ++i) {
      const std::int64_t node = region.start + (first + i) % slots * step;
      if (taken_.insert(node).second) return node + static_cast<std::int64_t>(random_() % 2) * known_.line;
    }
    throw Skip("device", "its pages have too few lines for as many loads as the latency spectrum takes");
  }

  const Known& known_;
  Chase chase_;
  std::int64_t actor_ = 0;
  std::map<std::int64_t, std::int64_t> passing_;  ///< the actor of threads on the SM of each actor
  std::size_t traces_ = 0;
  std::mt19937_64 random_;
  std::unordered_set<std::int64_t> taken_;
};

/// Bytes of memory that need a load each, so that the TLB translates all that an entry serves. An entry that serves
/// less than a large page may hold several small ones.
std::int64_t page_within(const Tlb& tlb) {
  if (tlb.page) return std::min({*tlb.page, tlb.span, page});
  return tlb.span >= page ? page : std::min(tlb.span, cache::small_page_bytes);
}

/// Loads that the first TLB translates (P1, P4): anywhere within a quarter of its reach.
struct Close {
  explicit Close(const Plan& known) {
    // So few pages stay in the first TLB, whatever else is loaded. Chosen by hand.
    constexpr std::int64_t few = 4;
    const Tlb first = known.tlb.empty() ? Tlb{1, page} : known.tlb.front();
    all.bytes = std::min(std::clamp<std::int64_t>(first.entries / 4, 1, few) * first.span, known.memory);
    // Where no TLB is known, as small as pages of GPUs usually are.
    const std::int64_t step = known.tlb.empty() ? cache::small_page_bytes : page_within(first);
    for (std::int64_t start = 0; start < all.bytes; start += step) each_page.push_back({start, step});
    // Each SM loads a line of each page, and at least one for each of the two patterns. One line of two is used.
    const bool has_lines = all.bytes / (2 * known.line) >= known.sms * (std::ssize(each_page) + 2);
    loads = std::min(known.timed, std::max<std::int64_t>(all.bytes / (16 * known.line * known.sms), has_lines ? 1 : 0));
    // Loads all over an entry take an eighth of its lines on average, but may take all those of a small page.
    const bool is_small = !known.tlb.empty() && step < std::min(first.span, page);
    if (is_small && step / (2 * known.line) < 4 * known.sms) loads = 0;
  }
  Region all;
  std::vector<Region> each_page;
  std::int64_t loads;
};

/// All pages in turn, over and over, by other lines each time, as many loads as are wanted.
std::vector<Region> in_turn(std::int64_t pages, std::int64_t stride, const Plan& plan) {
  const std::int64_t bytes = std::min(stride, page);
  const std::int64_t own_share = bytes / (16 * plan.line * plan.sms);
  const std::int64_t laps = std::max<std::int64_t>(std::min(plan.timed / pages, own_share), 1);
  std::vector<Region> regions;
  for (std::int64_t i = 0; i < laps * pages; ++i) regions.push_back({i % pages * stride, bytes});
  return regions;
}

/// Pairs of loads of lines that L2 holds. The ring is passed, which brings its lines there, walked, which leaves a TLB
/// that evicts by age with the last pages, and timed the third time, from line `first` on.
void time_hits(Builder& builder, std::size_t pattern, std::int64_t ring, std::int64_t lines, std::int64_t visits,
               std::int64_t first = 0) {
  builder.pass(ring, 2 * lines, 1);
  builder.walk(ring, 2 * (lines + first));
  builder.time(pattern, ring, 2 * visits, 2 * first);
}

/// Lines of regions in turn that L2 holds. If one SM does not visit all of them, all SMs share them and each begins
/// where the one before ended; else each SM has its own.
class Hits {
 public:
  explicit Hits(std::vector<Region> regions) : regions_(std::move(regions)) {}

  void time(Builder& builder, std::size_t pattern, std::int64_t timed) {
    const auto lines = static_cast<std::int64_t>(regions_.size());
    if (lines == 0) return;
    if (!ring_ || lines <= timed) ring_ = builder.ring(regions_, 2);
    time_hits(builder, pattern, *ring_, lines, std::min(lines, timed), first_);
    first_ = lines <= timed ? 0 : (first_ + timed) % lines;
  }

 private:
  std::vector<Region> regions_;
  std::optional<std::int64_t> ring_;
  std::int64_t first_ = 0;
};

std::vector<Region> regions_of(const Pages& pages, const FirstVisits::Run& run) {
  std::vector<Region> regions;
  for (const std::int64_t number : run) regions.push_back(pages.at(number));
  return regions;
}

/// Cold lines of pages that are visited first. The first load is not timed, because it may switch the page-table
/// window.
void time_first_visit(Builder& builder, std::size_t pattern, const Pages& pages, const FirstVisits::Run& run) {
  const std::int64_t ring = builder.ring(regions_of(pages, run));
  builder.walk(ring, 1);
  builder.time(pattern, ring, std::ssize(run) - 1, 1);
}

/// P6 and P5 of each SM in turn. They come before anything else, so that no walk over more pages precedes them.
void time_first_visits(Builder& builder, const Plan& plan, const Pages& pages, std::int64_t trial) {
  const FirstVisits visits = arrange(plan, pages, trial);
  const auto over = std::ssize(visits.others);
  const std::int64_t others = builder.ring(regions_of(pages, visits.others));
  for (std::size_t sm = 0; sm < visits.within.size(); ++sm) {
    if (visits.across[sm].size() <= 1 && visits.within[sm].empty()) continue;
    builder.go_to(sm);
    builder.pass(others, over, tlb::walks_that_evict(pages.entries, over));
    if (visits.across[sm].size() > 1) time_first_visit(builder, p6, pages, visits.across[sm]);
    for (const auto& run : visits.within[sm]) time_first_visit(builder, p5, pages, run);
  }
}

/// P4 and P1.
void time_translated(Builder& builder, const Plan& plan, const Close& close) {
  // Random lines fill some sets more than others. On average, they take a sixteenth of each.
  constexpr std::int64_t share_of_l2 = 16;
  if (close.loads == 0) return;
  builder.walk(builder.ring(close.each_page), 2 * static_cast<std::int64_t>(close.each_page.size()));
  const std::vector<Region> anywhere(static_cast<std::size_t>(close.loads), close.all);
  builder.time(p4, builder.ring(anywhere), close.loads);
  const std::int64_t hits = std::min(close.loads, plan.l2_bytes / plan.line / share_of_l2);
  if (hits == 0) return;
  const std::vector<Region> some(static_cast<std::size_t>(hits), close.all);
  time_hits(builder, p1, builder.ring(some, 2), hits, hits);
}

/// P2: pages that the first TLB cannot hold and the second can.
std::vector<Region> between_levels(const Plan& known) {
  if (known.tlb.size() < 2) return {};
  const Tlb& second = known.tlb[1];
  const std::int64_t stride = std::max(known.tlb[0].span, second.span);
  const std::int64_t pages = std::min({4 * known.tlb[0].entries, second.entries / 2, (known.memory - page) / stride});
  // A TLB of random victims misses 80 % of a walk over twice its entries.
  return pages < 2 * known.tlb[0].entries ? std::vector<Region>{} : in_turn(pages, stride, known);
}

/// P3: pages that no TLB can hold, if L2 holds what is walked.
std::vector<Region> beyond_levels(const Plan& known, const Pages& pages) {
  // What is walked takes at most a quarter of L2, so that a policy other than LRU keeps it. Chosen by hand.
  constexpr std::int64_t share_of_l2 = 4;
  auto regions = in_turn(pages.over, pages.span, known);
  if (share_of_l2 * static_cast<std::int64_t>(regions.size()) * known.line > known.l2_bytes) regions.clear();
  return regions;
}

}  // namespace

std::int64_t flush_bytes(const Known& known) {
  // So often as many lines as L2 has: where victims are random, a line outlives them with probability exp(-4).
  constexpr std::int64_t times = 4;
  // add_flush loads one sector of every 160 B.
  constexpr std::int64_t stride = 160;
  return times * known.l2_bytes * std::max(known.line, stride) / known.line;
}

Chase build(const Known& known, std::int64_t trial, std::int64_t trials) {
  const auto sms = chosen_sms(known.sm_count, trial, trials);
  const Plan plan(known, sms.size());
  const Close close(plan);
  const auto pages = pages_of(known);
  Builder builder(known, trial, sms);
  Hits second(between_levels(plan));
  Hits walks(pages ? beyond_levels(plan, *pages) : std::vector<Region>{});
  // Evicts what initialised the rings: their lines, and the page tables that led there. No phase touches a line of a
  // ring that must miss before its own.
  builder.flush(sms.front());
  if (pages) time_first_visits(builder, plan, *pages, trial);
  for (std::size_t sm = 0; sm < sms.size(); ++sm) {
    builder.go_to(sm);
    time_translated(builder, plan, close);
    second.time(builder, p2, plan.timed);
    walks.time(builder, p3, plan.timed);
  }
  return builder.take();
}

std::optional<Chase> build_first_visits(const Known& known, std::int64_t trial, std::int64_t trials) {
  const auto pages = pages_of(known);
  if (!pages) return std::nullopt;
  const auto sms = chosen_sms(known.sm_count, trial, trials);
  Builder builder(known, trial, sms);
  builder.flush(sms.front());
  time_first_visits(builder, Plan(known, sms.size()), *pages, trial);
  return builder.take();
}

namespace {

/// By timed phase, for each of its loads the size of the smallest block that an earlier load of the program has seen.
std::vector<std::vector<std::int64_t>> blocks_of(const chase::Program& program, const chase::Result& result) {
  std::vector<std::vector<std::int64_t>> blocks;
  SeenBlocks seen;
  std::vector<bool> is_walked(program.rings.size());
  for (const chase::Phase& phase : program.phases) {
    const chase::Ring& ring = program.rings[static_cast<std::size_t>(phase.ring)];
    if (phase.timing == chase::Timing::each) {
      auto& own = blocks.emplace_back();
      for (const std::uint32_t node : result.traces.at(blocks.size() - 1).node)
        own.push_back(seen.add(ring.nodes.at(node)));
    } else if (ring.array == 0 && !is_walked[static_cast<std::size_t>(phase.ring)]) {
      for (const std::int64_t node : ring.nodes) seen.add(node);
      is_walked[static_cast<std::size_t>(phase.ring)] = true;
    }
  }
  return blocks;
}

}  // namespace

void add(Samples& samples, const Chase& chase, const chase::Result& result) {
  const auto blocks = blocks_of(chase.program, result);
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    Sample& sample = samples.at(i);
    for (const TimedPhase& phase : chase.phases.at(i)) {
      const auto net = result.net_latencies(phase.trace);
      const std::size_t step = is_paired(i) ? 2 : 1;
      for (std::size_t load = 0; load + step <= net.size(); load += step) {
        if (step == 1 || chase.differences.at(i).contain(net[load] - net[load + 1])) {
          sample.push_back({net[load], phase.sm, chase.program.trial, blocks.at(phase.trace)[load]});
          if (step == 2) sample.differences.push_back(net[load] - net[load + 1]);
        } else {
          ++sample.others;
        }
      }
    }
  }
}

std::int64_t timed_span(const Chase& chase) {
  std::vector<std::int64_t> begins;
  std::vector<std::int64_t> ends;
  std::int64_t loads = 0;
  for (const chase::Phase& phase : chase.program.phases) {
    if (phase.timing == chase::Timing::each) begins.push_back(loads);
    loads += phase.loads;
    if (phase.timing == chase::Timing::each) ends.push_back(loads);
  }
  std::int64_t least = loads;
  for (const std::size_t pattern : past_data_cache) {
    const auto& phases = chase.phases.at(pattern);
    if (!phases.empty()) least = std::min(least, ends[phases.back().trace] - begins[phases.front().trace]);
  }
  return least;
}

}  // namespace tomograph::memory_spectrum
