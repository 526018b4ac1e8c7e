#include <algorithm>
#include <unordered_set>

#include "spectrum.hpp"
#include "tomograph/cache/hit_and_miss.hpp"

namespace tomograph::memory_spectrum {

namespace {

constexpr std::int64_t timed = 192;
constexpr std::int64_t page = chase::array_alignment;

/// Lays lines, each one once, over pages of array 0, and adds rings and phases.
class Builder {
 public:
  Builder(const Known& known, std::int64_t trial) : known_(known) {
    chase_.program.arrays = {{known.memory}};
    chase_.program.actors = {{.sm = 0, .path = chase::Path::global_cg}};
    chase_.program.alone = true;
    chase_.program.trial = trial;
    next_ = 7919 * trial;
  }

  /// A ring over `count` fresh lines of `pages` pages in turn, `stride` bytes apart.
  std::int64_t ring(std::int64_t pages, std::int64_t stride, std::int64_t count) {
    chase::Ring ring;
    for (std::int64_t i = 0; i < count; ++i) ring.nodes.push_back(fresh_line(i % pages * stride));
    return cache::add_ring(chase_.program, std::move(ring));
  }
  void walk(std::int64_t ring, std::int64_t loads) { chase_.program.phases.push_back({.ring = ring, .loads = loads}); }
  void time(std::size_t pattern, std::int64_t ring, std::int64_t loads) {
    chase_.trace[pattern] = traces_++;
    chase_.program.phases.push_back({.ring = ring, .loads = loads, .timing = chase::Timing::each});
  }
  /// Pushes all lines out of L2.
  void flush() {
    const cache::Subject l2{.path = chase::Path::global_cg, .carveout = 0, .shared = true, .sm = 0};
    cache::add_flush(chase_.program, l2, 2 * known_.l2_bytes);
  }
  /// Pages one span apart, more than the level holds, as far as memory goes.
  [[nodiscard]] std::int64_t overflowing(const Tlb& level) const {
    const std::int64_t places = (known_.memory - page) / level.span;
    return std::min(2 * level.entries, places);
  }
  Chase take() { return std::move(chase_); }

 private:
  std::int64_t fresh_line(std::int64_t start) {
    // Two lines further each time: what a miss brings beside its line is not used.
    const std::int64_t lines = page / known_.line;
    for (;;) {
      const std::int64_t node = start + 2 * next_++ % lines * known_.line;
      if (taken_.insert(node).second) return node;
    }
  }

  const Known& known_;
  Chase chase_;
  std::size_t traces_ = 0;
  std::int64_t next_ = 0;
  std::unordered_set<std::int64_t> taken_;
};

/// Loads of L2's lines (P1, P2, P3): a ring is walked twice and timed the third time.
void add_hits(Builder& builder, std::size_t pattern, std::int64_t pages, std::int64_t stride) {
  const std::int64_t count = std::max(pages, timed);
  const std::int64_t ring = builder.ring(pages, stride, count);
  builder.walk(ring, 2 * count);
  builder.time(pattern, ring, timed);
}

}  // namespace

Chase build(const Known& known, std::int64_t trial) {
  constexpr std::int64_t few_pages = 4;
  Builder builder(known, trial);
  const auto& first = known.first;
  const auto& last = known.last ? known.last : known.first;
  const std::int64_t stride = first ? first->span : page;
  const std::int64_t close_pages = first ? std::max<std::int64_t>(1, std::min(few_pages, first->entries / 4)) : 1;
  // Rings of lines that no phase before their own touches: cold once the flush has pushed out what wrote them.
  const std::int64_t warm = builder.ring(close_pages, stride, close_pages);
  const std::int64_t cold_near = builder.ring(close_pages, stride, timed);
  const std::int64_t evicting = last ? builder.overflowing(*last) : 0;
  const bool evicts = last && evicting > last->entries + last->entries / 8;
  const std::int64_t windows = evicts && known.window ? (known.memory - page) / *known.window : 0;
  // Of a window's pages only those within it: the misses of the TLBs shall not be misses of the window.
  const std::int64_t span = known.window && evicts ? std::max(*known.window / 2 / timed, page) : stride;
  std::int64_t evictors = 0;
  std::int64_t cold_far = 0;
  std::int64_t cold_windows = 0;
  if (evicts) {
    evictors = builder.ring(evicting, last->span, evicting);
    cold_far = builder.ring(timed, known.window ? span : last->span, timed);
    if (windows >= 4) cold_windows = builder.ring(windows, *known.window, windows);
  }
  builder.flush();
  if (windows >= 4) {
    builder.walk(evictors, evicting);
    builder.time(5, cold_windows, windows);
  }
  if (evicts) {
    builder.walk(evictors, evicting);
    builder.time(4, cold_far, timed);
  }
  builder.walk(warm, 2 * close_pages);
  builder.time(3, cold_near, timed);
  add_hits(builder, 0, close_pages, stride);
  if (first && known.last && known.last->entries > 4 * first->entries) {
    const std::int64_t pages = std::min(4 * first->entries, known.last->entries / 2);
    add_hits(builder, 1, pages, std::max(first->span, known.last->span));
  }
  if (evicts) add_hits(builder, known.last ? 2 : 1, evicting, last->span);
  return builder.take();
}

}  // namespace tomograph::memory_spectrum
