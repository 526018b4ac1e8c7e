#include "tlb_scene.hpp"

#include <algorithm>

#include "tomograph/tlb/walk.hpp"

namespace tomograph::cache_sharing {

namespace {

/// Writes the programs.
class Stage {
 public:
  explicit Stage(const Ground& ground) : ground_(ground) {}

  [[nodiscard]] chase::Program program(const Scene& scene, std::int64_t trial) const {
    chase::Program made;
    made.arrays = {{ground_.bytes()}};
    made.alone = true;
    made.trial = trial;
    made.rings = {walk(scene.idle), fillers()};
    for (std::int64_t slot = 0; slot < ground_.testers; ++slot) add_slot(made, slot, scene.lines);
    const auto ring_of = [&](std::int64_t sm) { return 2 + 2 * slot_of(ground_, sm); };
    for (const std::int64_t sm : scene.testers) warm(made, sm, ring_of(sm));
    for (const std::int64_t sm : scene.walkers) {
      made.actors.push_back({sm, chase::Path::global_cg, threads});
      made.phases.push_back({.actor = std::ssize(made.actors) - 1, .ring = 0, .loads = once(ground_.walk)});
    }
    for (const std::int64_t sm : scene.testers) {
      made.actors.push_back({sm, chase::Path::global_cg, 1});
      made.phases.push_back({.actor = std::ssize(made.actors) - 1,
                             .ring = ring_of(sm),
                             .loads = 2 * ground_.pages,
                             .timing = chase::Timing::each});
    }
    return made;
  }

 private:
  /// Threads that walk where the order does not matter.
  static constexpr std::int64_t threads = 32;

  /// Loads by which they pass a ring once: each as far as where the next one began, at least.
  static std::int64_t once(std::int64_t nodes) { return (nodes + threads - 1) / threads * threads; }

  /// Lines are other ones on each page, so that all sets of the L2 get their share.
  [[nodiscard]] std::int64_t line_of(std::int64_t number) const {
    return number % (tlb::spread(ground_.span) / ground_.line) * ground_.line;
  }

  [[nodiscard]] chase::Ring walk(bool idle) const {
    chase::Ring ring{.start = ground_.start_of_walk(), .stride = ground_.span + ground_.line, .count = ground_.walk};
    if (idle) {
      ring.stride = ground_.line;
      ring.count = std::min(ground_.walk, tlb::spread(ground_.span) / ground_.line);
    }
    return ring;
  }

  [[nodiscard]] chase::Ring fillers() const {
    chase::Ring ring;
    // A ring must not be empty; without fillers nobody follows it.
    for (std::int64_t i = 0; i < std::max<std::int64_t>(ground_.fillers, 1); ++i) {
      ring.nodes.push_back(ground_.start_of_fillers() + i * ground_.stride + line_of(i) + chase::node_bytes);
    }
    return ring;
  }

  /// Two rings over the pages of a slot: to be timed in pairs, and to be visited before.
  void add_slot(chase::Program& made, std::int64_t slot, std::int64_t lines) const {
    chase::Ring pairs;
    chase::Ring before;
    for (std::int64_t page = 0; page < ground_.pages; ++page) {
      const std::int64_t at = ground_.start_of_slot(slot) + page * ground_.stride +
                              line_of((lines * ground_.testers + slot) * ground_.pages + page);
      pairs.nodes.insert(pairs.nodes.end(), {at, at + chase::node_bytes});
      before.nodes.push_back(at + 2 * chase::node_bytes);
    }
    made.rings.push_back(std::move(pairs));
    made.rings.push_back(std::move(before));
  }

  /// A tester visits its pages, and pushes them out of the levels before.
  void warm(chase::Program& made, std::int64_t sm, std::int64_t ring) const {
    made.actors.push_back({sm, chase::Path::global_cg, threads});
    const std::int64_t actor = std::ssize(made.actors) - 1;
    made.phases.push_back({.actor = actor, .ring = ring + 1, .loads = 2 * once(ground_.pages)});
    if (ground_.fillers == 0) return;
    made.phases.push_back({.actor = actor, .ring = 1, .loads = 2 * once(ground_.fillers)});
  }

  Ground ground_;
};

}  // namespace

chase::Program program(const Ground& ground, const Scene& scene, std::int64_t trial) {
  return Stage(ground).program(scene, trial);
}

}  // namespace tomograph::cache_sharing
