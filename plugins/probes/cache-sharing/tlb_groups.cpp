#include <algorithm>
#include <bit>
#include <functional>
#include <map>
#include <numeric>

#include "sm_groups.hpp"
#include "tlb_ground.hpp"
#include "tomograph/analysis/robust_statistics.hpp"
#include "tomograph/tlb/walk.hpp"
#include "view.hpp"

namespace tomograph::cache_sharing {

namespace {

using analysis::EffectOdds;
using analysis::EventCount;
using Sms = std::vector<std::int64_t>;

/// Who visits pages, who walks over more than the level holds, and whose next visits are timed.
struct Scene {
  Sms walkers;  ///< one after the other
  Sms testers;
  bool idle = false;  ///< walkers load as many lines as often, on one page
};

/// A comparison: what is known of one tester.
struct Tested {
  EventCount count;
  double surplus = 0;  ///< sum over its visits
};

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
    for (std::int64_t slot = 0; slot < ground_.testers; ++slot) add_slot(made, slot);
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
  void add_slot(chase::Program& made, std::int64_t slot) const {
    chase::Ring pairs;
    chase::Ring before;
    for (std::int64_t page = 0; page < ground_.pages; ++page) {
      const std::int64_t at =
          ground_.start_of_slot(slot) + page * ground_.stride + line_of(slot * ground_.pages + page);
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

/// Whether an SM's walk over more pages than the level has entries evicts the pages of other SMs: counted per page.
class Eviction {
 public:
  Eviction(const Session& session, const Ground& ground, std::int64_t sms)
      : session_(&session), ground_(ground), stage_(ground) {
    measure_idle(sms);
  }

  /// Whom the base's walk evicts. Once a base had nobody to share with, whether anybody has is asked first.
  std::vector<EffectOdds> operator()(std::int64_t base, std::span<const std::int64_t> others) {
    if (alone_ && !screened_ && others.size() > 1) screen(base, others);
    if (all_apart_) {
      const double error = error_apart_ / static_cast<double>(others.size() * others.size());
      return std::vector<EffectOdds>(others.size(), {.absent = 1 - error, .full = error});
    }
    auto result = compare(base, others);
    alone_ = std::ranges::all_of(result, [](const auto& one) { return one.absent > one.full; });
    return result;
  }

  [[nodiscard]] std::vector<NamedArray> columns() const {
    return {{"walking_sm", walking_},  {"walking_sms", walkers_},  {"tested_sm", tester_},
            {"tested", tested_},       {"evicted", evicted_},      {"mean_surplus_over_idle_cycles", surplus_},
            {"idle_tested", of_idle_}, {"idle_evicted", by_idle_}, {"own_tested", of_own_},
            {"own_evicted", by_own_}};
  }
  [[nodiscard]] std::uint64_t tested() const {
    return static_cast<std::uint64_t>(std::accumulate(tested_.begin(), tested_.end(), 0.0));
  }

 private:
  static constexpr double sure = 1e-5;
  static constexpr std::int64_t most_batches = 8;
  static constexpr std::size_t idle_repetitions = 4;

  [[nodiscard]] std::vector<EffectOdds> odds(std::span<const Tested> all) const {
    // An instance serves an SM or does not. Many SMs have the same counts.
    std::map<std::pair<std::size_t, std::size_t>, EffectOdds> known;
    std::vector<EffectOdds> result;
    for (const Tested& one : all) {
      const auto [entry, is_new] = known.try_emplace({one.count.events, one.count.tests});
      if (is_new) entry->second = analysis::odds(analysis::effect_evidence(idle_, own_, one.count), 0);
      result.push_back(entry->second);
    }
    return result;
  }

  /// Those that are not sure yet are tested again.
  std::vector<EffectOdds> compare(std::int64_t base, std::span<const std::int64_t> others) {
    std::vector<Tested> found(others.size());
    std::vector<EffectOdds> result;
    std::vector<std::size_t> open(others.size());
    std::iota(open.begin(), open.end(), std::size_t{0});
    for (std::int64_t batch = 0; batch < most_batches && !open.empty(); ++batch) {
      test(base, others, open, found);
      result = odds(found);
      std::erase_if(open, [&](std::size_t i) { return result[i].error() < sure; });
    }
    for (std::size_t i = 0; i < others.size(); ++i) keep(base, 1, others[i], found[i]);
    return result;
  }

  /// One batch of programs on those of `others` that `open` names. The base itself is tested among its neighbours.
  void test(std::int64_t base, std::span<const std::int64_t> others, std::span<const std::size_t> open,
            std::vector<Tested>& found) {
    std::map<std::int64_t, Scene> scenes;
    std::map<std::int64_t, std::size_t> place;
    scenes[base / ground_.testers].testers.push_back(base);
    for (const std::size_t i : open) {
      scenes[others[i] / ground_.testers].testers.push_back(others[i]);
      place[others[i]] = i;
    }
    std::vector<Scene> all;
    for (auto& [chunk, scene] : scenes) {
      scene.walkers = {base};
      all.push_back(std::move(scene));
    }
    const auto surplus = run(all);
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (std::size_t tester = 0; tester < all[i].testers.size(); ++tester) {
        const std::int64_t sm = all[i].testers[tester];
        const auto more = over_idle(sm, surplus[i][tester]);
        sm == base ? count(more, own_) : add(more, found[place.at(sm)]);
      }
    }
  }

  /// Whether nobody shares with anybody: those whose number has a bit set walk, and the others are tested, for each
  /// bit. Any two SMs are once on different sides, and if any two share, at least the first tester on its pages that
  /// shares with a walker finds them gone.
  void screen(std::int64_t base, std::span<const std::int64_t> others) {
    screened_ = true;
    Sms all{base};
    all.insert(all.end(), others.begin(), others.end());
    std::vector<Scene> scenes(static_cast<std::size_t>(std::bit_width(all.size() - 1)));
    std::vector<std::vector<Tested>> found;
    for (std::size_t bit = 0; bit < scenes.size(); ++bit) {
      for (std::size_t i = 0; i < all.size(); ++i) {
        auto& side = (i >> bit & 1U) != 0 ? scenes[bit].walkers : scenes[bit].testers;
        side.push_back(all[i]);
      }
      found.emplace_back(scenes[bit].testers.size());
    }
    for (std::int64_t batch = 0; batch < most_batches && !all_apart_; ++batch) {
      const auto surplus = run(scenes);
      error_apart_ = 0;
      double shared = 0;
      for (std::size_t bit = 0; bit < scenes.size(); ++bit) {
        for (std::size_t i = 0; i < found[bit].size(); ++i) {
          add(over_idle(scenes[bit].testers[i], surplus[bit][i]), found[bit][i]);
        }
        for (const EffectOdds& one : odds(found[bit])) {
          error_apart_ += 1 - one.absent;
          shared = std::max(shared, one.full);
        }
      }
      if (shared > 1 - sure) break;
      all_apart_ = error_apart_ < 10 * sure;
    }
    for (std::size_t bit = 0; bit < scenes.size(); ++bit) {
      const Sms& walkers = scenes[bit].walkers;
      for (std::size_t i = 0; i < found[bit].size(); ++i) {
        keep(walkers.front(), walkers.size(), scenes[bit].testers[i], found[bit][i]);
      }
    }
  }

  /// What each page's visit takes each SM after an idle walker: some lines take a few cycles more, again and again.
  void measure_idle(std::int64_t sms) {
    std::vector<Scene> scenes;
    for (std::int64_t first = 0; first < sms; first += ground_.testers) {
      const std::int64_t end = std::min(first + ground_.testers, sms);
      Scene scene{.walkers = {end % sms}, .testers = {}, .idle = true};
      for (std::int64_t sm = first; sm < end; ++sm) scene.testers.push_back(sm);
      scenes.insert(scenes.end(), idle_repetitions, scene);
    }
    const auto surplus = run(scenes);
    for (std::size_t first = 0; first < scenes.size(); first += idle_repetitions) {
      for (std::size_t tester = 0; tester < scenes[first].testers.size(); ++tester) {
        std::vector<std::vector<double>> repeated;
        for (std::size_t i = 0; i < idle_repetitions; ++i) repeated.push_back(surplus[first + i][tester]);
        calm_.push_back(medians(repeated, idle_repetitions));
        for (std::size_t i = 0; i < idle_repetitions; ++i) {
          count(difference(repeated[i], medians(repeated, i)), idle_);
        }
      }
    }
  }

  /// By page, over the repetitions but one.
  static std::vector<double> medians(std::span<const std::vector<double>> repeated, std::size_t left_out) {
    std::vector<double> result;
    for (std::size_t page = 0; page < repeated.front().size(); ++page) {
      std::vector<double> own;
      for (std::size_t i = 0; i < repeated.size(); ++i) {
        if (i != left_out) own.push_back(repeated[i][page]);
      }
      result.push_back(analysis::median(own));
    }
    return result;
  }

  static std::vector<double> difference(std::vector<double> cycles, std::span<const double> calm) {
    std::ranges::transform(cycles, calm, cycles.begin(), std::minus<>());
    return cycles;
  }

  [[nodiscard]] std::vector<double> over_idle(std::int64_t sm, std::vector<double> cycles) const {
    return difference(std::move(cycles), calm_[static_cast<std::size_t>(sm)]);
  }

  /// Surplus of each visit, by scene and tester.
  std::vector<std::vector<std::vector<double>>> run(std::span<const Scene> scenes) {
    std::vector<chase::Program> programs;
    for (const Scene& scene : scenes) programs.push_back(stage_.program(scene, trial_++));
    std::vector<std::vector<std::vector<double>>> surplus;
    for (const chase::Result& result : session_->execute(programs)) {
      surplus.emplace_back();
      for (const auto& trace : result.traces) surplus.back().push_back(tlb::differences(trace));
    }
    return surplus;
  }

  void count(std::span<const double> more, EventCount& into) const {
    for (const double one : more) into += {.events = one > ground_.penalty / 2 ? 1U : 0U, .tests = 1};
  }

  void add(std::span<const double> more, Tested& tested) const {
    count(more, tested.count);
    tested.surplus += std::accumulate(more.begin(), more.end(), 0.0);
  }

  void keep(std::int64_t walker, std::size_t walkers, std::int64_t tester, const Tested& tested) {
    const auto real = [](auto number) { return static_cast<double>(number); };
    walking_.push_back(real(walker));
    walkers_.push_back(real(walkers));
    tester_.push_back(real(tester));
    tested_.push_back(real(tested.count.tests));
    evicted_.push_back(real(tested.count.events));
    surplus_.push_back(tested.surplus / real(tested.count.tests));
    of_idle_.push_back(real(idle_.tests));
    by_idle_.push_back(real(idle_.events));
    of_own_.push_back(real(own_.tests));
    by_own_.push_back(real(own_.events));
  }

  const Session* session_;
  Ground ground_;
  Stage stage_;
  std::int64_t trial_ = 0;
  bool alone_ = false;      ///< the base before this one shares with nobody
  bool screened_ = false;   ///< whether anybody shares was asked
  bool all_apart_ = false;  ///< and nobody does
  double error_apart_ = 0;
  EventCount idle_;
  EventCount own_;
  std::vector<std::vector<double>> calm_;  ///< by SM and page: surplus of a visit that finds its page
  std::vector<double> walking_;
  std::vector<double> walkers_;
  std::vector<double> tester_;
  std::vector<double> tested_;
  std::vector<double> evicted_;
  std::vector<double> surplus_;
  std::vector<double> of_idle_;
  std::vector<double> by_idle_;
  std::vector<double> of_own_;
  std::vector<double> by_own_;
};

/// Runs a program that takes little memory, so that the device need not keep more.
void give_back(const Session& session) {
  chase::Program little;
  little.arrays = {{chase::array_alignment}};
  little.rings = {{.nodes = {0}}};
  little.actors = {{.sm = 0, .path = chase::Path::global_cg}};
  little.phases = {{.loads = 1}};
  static_cast<void>(session.execute(std::span<const chase::Program>(&little, 1)));
}

}  // namespace

void find_tlb_groups(const Session& session, std::int64_t level) {
  const std::string prefix = "tlb.l" + std::to_string(level);
  SmGroups facts{.groups_key = prefix + ".sm_groups",
                 .size_key = prefix + ".sms_per_instance",
                 .method = "eviction-between-sms",
                 .undecided = "whether one evicts the other's pages comes out neither way"};
  const auto refuse = [&](const std::string& reason) {
    session.inconclusive(facts.groups_key, reason);
    session.inconclusive(facts.size_key, reason);
  };
  try {
    const Ground ground = find_ground(session, level, session.needed<std::int64_t>(prefix + ".entries"));
    const auto sms = session.needed<std::int64_t>("device.sm_count");
    Eviction eviction(session, ground, sms);
    const auto found = analysis::group(sms, std::ref(eviction));
    session.evidence(facts.groups_key, eviction.columns());
    facts.samples = eviction.tested();
    facts.conditions = {{"path", "global.cg"}, {"pages", ground.pages}, {"walked_pages", ground.walk}};
    publish(session, facts, found);
    give_back(session);
  } catch (const TooLittle& too_little) {
    refuse(too_little.reason);
  } catch (const Refused& refusal) {
    if (refusal.status == TOMOGRAPH_UNSUPPORTED) throw Skip("device", refusal.what());
    refuse(refusal.what());
  }
}

}  // namespace tomograph::cache_sharing
