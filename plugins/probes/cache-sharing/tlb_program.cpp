#include "tlb_program.hpp"

#include <algorithm>

namespace tomograph::cache_sharing {

namespace {

class ProgramWriter {
 public:
  explicit ProgramWriter(const TlbLayout& layout) : layout_(layout) {}

  [[nodiscard]] chase::Program program(const TlbTest& test, std::int64_t trial) const {
    chase::Program made;
    made.arrays = {{layout_.bytes()}};
    made.alone = true;
    made.trial = trial;
    made.rings = {walk(test.idle), fillers()};
    for (std::int64_t slot = 0; slot < layout_.testers; ++slot) add_slot(made, slot, test.lines);
    const auto ring_of = [&](std::int64_t sm) { return 2 + 2 * slot_of(layout_, sm); };
    for (const std::int64_t sm : test.testers) warm(made, sm, ring_of(sm));
    for (const std::int64_t sm : test.walkers) {
      made.actors.push_back({sm, chase::Path::global_cg, threads});
      made.phases.push_back({.actor = std::ssize(made.actors) - 1,
                             .ring = 0,
                             .loads = test.rounds * chase::loads_to_pass(layout_.walk, threads)});
    }
    for (const std::int64_t sm : test.testers) {
      made.actors.push_back({sm, chase::Path::global_cg, 1});
      made.phases.push_back({.actor = std::ssize(made.actors) - 1,
                             .ring = ring_of(sm),
                             .loads = 2 * layout_.pages,
                             .timing = chase::Timing::each});
    }
    return made;
  }

 private:
  /// Threads that walk where the order does not matter.
  static constexpr std::int64_t threads = 32;

  /// Another line on each page, so that the lines spread over all sets of L2.
  [[nodiscard]] std::int64_t line_of(std::int64_t number) const {
    return number % layout_.lines_of_page() * layout_.line;
  }

  [[nodiscard]] chase::Ring walk(bool idle) const {
    chase::Ring ring{.start = layout_.start_of_walk(), .stride = layout_.span + layout_.line, .count = layout_.walk};
    if (idle) {
      ring.stride = layout_.line;
      ring.count = std::min(layout_.walk, layout_.lines_of_page());
    }
    return ring;
  }

  [[nodiscard]] chase::Ring fillers() const {
    chase::Ring ring;
    // A ring must not be empty; without fillers no phase follows it.
    for (std::int64_t i = 0; i < std::max<std::int64_t>(layout_.fillers, 1); ++i) {
      ring.nodes.push_back(layout_.start_of_fillers() + i * layout_.stride + line_of(i) + chase::node_bytes);
    }
    return ring;
  }

  /// Two rings over the pages of a slot: to be timed in pairs, and to be visited before.
  void add_slot(chase::Program& made, std::int64_t slot, std::int64_t lines) const {
    chase::Ring pairs;
    chase::Ring before;
    for (std::int64_t page = 0; page < layout_.pages; ++page) {
      const std::int64_t at = layout_.start_of_slot(slot) + page * layout_.stride +
                              line_of((lines * layout_.testers + slot) * layout_.pages + page);
      pairs.nodes.insert(pairs.nodes.end(), {at, at + chase::node_bytes});
      before.nodes.push_back(at + 2 * chase::node_bytes);
    }
    made.rings.push_back(std::move(pairs));
    made.rings.push_back(std::move(before));
  }

  /// A tester visits its pages and evicts them from the levels before.
  void warm(chase::Program& made, std::int64_t sm, std::int64_t ring) const {
    made.actors.push_back({sm, chase::Path::global_cg, threads});
    const std::int64_t actor = std::ssize(made.actors) - 1;
    made.phases.push_back(
        {.actor = actor, .ring = ring + 1, .loads = 2 * chase::loads_to_pass(layout_.pages, threads)});
    if (layout_.fillers == 0) return;
    made.phases.push_back({.actor = actor, .ring = 1, .loads = 2 * chase::loads_to_pass(layout_.fillers, threads)});
  }

  TlbLayout layout_;
};

}  // namespace

chase::Program program(const TlbLayout& layout, const TlbTest& test, std::int64_t trial) {
  return ProgramWriter(layout).program(test, trial);
}

}  // namespace tomograph::cache_sharing
