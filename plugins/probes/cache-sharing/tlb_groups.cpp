#include <algorithm>
#include <map>
#include <numeric>

#include "sm_groups.hpp"
#include "tomograph/analysis/robust_statistics.hpp"
#include "tomograph/tlb/walk.hpp"
#include "view.hpp"

namespace tomograph::cache_sharing {

namespace {

using analysis::EffectOdds;
using Sms = std::vector<std::int64_t>;

/// Where the base's pages and those that evict them lie.
struct Ground {
  std::int64_t line = 0;
  std::int64_t pages = 0;   ///< of the base: so many that the levels before hold none of them, and this one all
  std::int64_t stride = 0;  ///< from one of these to the next
  std::int64_t walk = 0;    ///< pages of a rival, more than the level has entries
  std::int64_t span = 0;    ///< from one of these to the next
  double penalty = 0;       ///< of a miss, cycles

  [[nodiscard]] std::int64_t start_of_walk() const { return (pages * stride + span - 1) / span * span; }
  [[nodiscard]] std::int64_t bytes() const {
    const std::int64_t all = start_of_walk() + walk * span;
    return (all + chase::array_alignment - 1) / chase::array_alignment * chase::array_alignment;
  }
};

/// Whose loads come between the base's walk and its test.
struct Rivals {
  Sms sms;            ///< one after the other
  bool idle = false;  ///< as many loads and lines, on one page
};

/// Whether another SM's walk over more pages than the level has entries evicts the base's pages: counted per page.
class Eviction {
 public:
  Eviction(const Session& session, const Ground& ground) : session_(&session), ground_(ground) {}

  /// Each SM by itself; once a base had nobody to share with, first all of the others at once.
  std::vector<EffectOdds> operator()(std::int64_t base, std::span<const std::int64_t> others) {
    if (alone_ && others.size() > 1) {
      const EffectOdds together = odds(base, {{.sms = {others.begin(), others.end()}}}).front();
      if (together.error() < sure && together.absent > together.full) {
        const double error = together.error() / static_cast<double>(others.size());
        return std::vector<EffectOdds>(others.size(), {.absent = 1 - error, .full = error});
      }
    }
    std::vector<Rivals> rivals;
    for (const std::int64_t other : others) rivals.push_back({.sms = {other}});
    auto result = odds(base, rivals);
    alone_ = std::ranges::all_of(result, [](const auto& one) { return one.absent > one.full; });
    return result;
  }

  [[nodiscard]] std::vector<NamedArray> columns() const {
    return {{"base_sm", base_},        {"first_rival_sm", first_rival_},
            {"rival_sms", rivals_},    {"tested", tested_},
            {"evicted", evicted_},     {"mean_surplus_over_idle_cycles", surplus_},
            {"idle_tested", of_idle_}, {"idle_evicted", by_idle_},
            {"own_tested", of_own_},   {"own_evicted", by_own_}};
  }
  [[nodiscard]] std::uint64_t tested() const {
    return static_cast<std::uint64_t>(std::accumulate(tested_.begin(), tested_.end(), 0.0));
  }

 private:
  static constexpr double sure = 1e-5;
  static constexpr std::int64_t most_batches = 6;
  /// Pages tested per rival in a batch.
  static constexpr std::int64_t visits_per_batch = 32;
  /// Of each control, per trial.
  static constexpr std::int64_t repetitions = 4;
  /// Threads that walk for a rival: the order does not matter, time does.
  static constexpr std::int64_t most_walkers = 32;

  struct Counts {
    explicit Counts(std::size_t rivals) : others(rivals), surplus(rivals) {}

    analysis::EventCount idle;
    analysis::EventCount own;
    std::vector<analysis::EventCount> others;
    std::vector<double> surplus;  ///< sums over the tests of each of the others

    /// An instance serves an SM or does not. Many SMs have the same counts.
    [[nodiscard]] std::vector<EffectOdds> odds() const {
      std::map<std::pair<std::size_t, std::size_t>, EffectOdds> known;
      std::vector<EffectOdds> result;
      for (const auto& one : others) {
        const auto [entry, is_new] = known.try_emplace({one.events, one.tests});
        if (is_new) entry->second = analysis::odds(analysis::effect_evidence(idle, own, one), 0);
        result.push_back(entry->second);
      }
      return result;
    }
  };

  std::vector<EffectOdds> odds(std::int64_t base, const std::vector<Rivals>& rivals) {
    Counts counts(rivals.size());
    std::vector<EffectOdds> result;
    for (std::int64_t batch = 0; batch < most_batches; ++batch) {
      measure(base, rivals, batch, counts);
      result = counts.odds();
      if (std::ranges::all_of(result, [](const auto& one) { return one.error() < sure; })) break;
    }
    keep(base, rivals, counts);
    return result;
  }

  /// Lines are other ones on each page, and in each trial, so that all sets of the L2 get their share.
  [[nodiscard]] std::int64_t line_of(std::int64_t number) const {
    return number % (tlb::spread(ground_.span) / ground_.line) * ground_.line;
  }

  [[nodiscard]] chase::Ring walk(bool idle) const {
    chase::Ring ring;
    const std::int64_t start = ground_.start_of_walk();
    const std::int64_t nodes = idle ? std::min(ground_.walk, ground_.span / ground_.line) : ground_.walk;
    for (std::int64_t i = 0; i < nodes; ++i) {
      ring.nodes.push_back(start + (idle ? i * ground_.line : i * ground_.span + line_of(i)));
    }
    return ring;
  }

  /// The base visits its pages twice, the rivals walk, and the base's next visits are timed.
  [[nodiscard]] chase::Program program(std::int64_t base, const Rivals& rivals, std::int64_t trial,
                                       std::int64_t repetition = 0) const {
    chase::Ring pairs;
    chase::Ring warm;
    for (std::int64_t page = 0; page < ground_.pages; ++page) {
      const std::int64_t at = page * ground_.stride + line_of(trial * ground_.pages + page);
      pairs.nodes.insert(pairs.nodes.end(), {at, at + chase::node_bytes});
      warm.nodes.push_back(at + 2 * chase::node_bytes);
    }
    chase::Program made;
    made.arrays = {{ground_.bytes()}};
    made.rings = {std::move(pairs), std::move(warm), walk(rivals.idle)};
    made.actors = {{base, chase::Path::global_cg, 1}};
    made.alone = true;
    made.trial = trial * std::int64_t{repetitions} + repetition;
    made.phases = {{.actor = 0, .ring = 1, .loads = 2 * ground_.pages}};
    // Each thread begins elsewhere, and walks so far that none of the pages is left out.
    const std::int64_t walkers = std::min(most_walkers, ground_.walk);
    const std::int64_t loads = (ground_.walk + walkers - 1) / walkers * walkers;
    for (const std::int64_t sm : rivals.sms) {
      made.actors.push_back({sm, chase::Path::global_cg, walkers});
      made.phases.push_back({.actor = std::ssize(made.actors) - 1, .ring = 2, .loads = loads});
    }
    made.phases.push_back({.actor = 0, .ring = 0, .loads = 2 * ground_.pages, .timing = chase::Timing::each});
    return made;
  }

  /// What the visits of all these programs took longer than the same ones after an idle rival: how long it takes to
  /// get a line differs by a few cycles from one to the other.
  void count(std::span<const double> cycles, std::span<const double> idle, analysis::EventCount& into) const {
    for (std::size_t page = 0; page < cycles.size(); ++page) {
      into += {.events = cycles[page] - idle[page] > ground_.penalty / 2 ? 1U : 0U, .tests = 1};
    }
  }

  void measure(std::int64_t base, const std::vector<Rivals>& rivals, std::int64_t batch, Counts& counts) const {
    const std::int64_t trials = (visits_per_batch + ground_.pages - 1) / ground_.pages;
    const std::int64_t first_other = rivals.front().sms.front();
    std::vector<chase::Program> programs;
    for (std::int64_t trial = batch * trials; trial < (batch + 1) * trials; ++trial) {
      for (std::int64_t i = 0; i < repetitions; ++i) {
        programs.push_back(program(base, {.sms = {first_other}, .idle = true}, trial, i));
        programs.push_back(program(base, {.sms = {base}}, trial, i));
      }
      for (const Rivals& one : rivals) programs.push_back(program(base, one, trial));
    }
    const auto results = session_->execute(programs);
    const std::size_t per_trial = std::size_t{2} * repetitions + rivals.size();
    for (std::size_t first = 0; first < results.size(); first += per_trial) {
      reduce(std::span(results).subspan(first, per_trial), counts);
    }
  }

  /// By page: median over the idle rivals of a trial, but the one to leave out.
  [[nodiscard]] static std::vector<double> reference(std::span<const std::vector<double>> controls,
                                                     std::size_t left_out) {
    std::vector<double> medians;
    for (std::size_t page = 0; page < controls.front().size(); ++page) {
      std::vector<double> repeated;
      for (std::size_t i = 0; i < controls.size(); i += 2) {
        if (i != left_out) repeated.push_back(controls[i][page]);
      }
      medians.push_back(analysis::median(repeated));
    }
    return medians;
  }

  void reduce(std::span<const chase::Result> trial, Counts& counts) const {
    constexpr auto controls = std::size_t{2} * repetitions;
    std::vector<std::vector<double>> surplus;
    for (const chase::Result& one : trial) surplus.push_back(tlb::differences(one.traces.front()));
    const auto of_controls = std::span(surplus).first(controls);
    const std::vector<double> idle = reference(of_controls, controls);
    for (std::size_t i = 0; i < controls; i += 2) {
      count(surplus[i], reference(of_controls, i), counts.idle);
      count(surplus[i + 1], idle, counts.own);
    }
    for (std::size_t i = controls; i < surplus.size(); ++i) {
      count(surplus[i], idle, counts.others[i - controls]);
      for (std::size_t page = 0; page < idle.size(); ++page) {
        counts.surplus[i - controls] += surplus[i][page] - idle[page];
      }
    }
  }

  void keep(std::int64_t base, const std::vector<Rivals>& rivals, const Counts& counts) {
    const auto real = [](auto number) { return static_cast<double>(number); };
    for (std::size_t i = 0; i < rivals.size(); ++i) {
      base_.push_back(real(base));
      first_rival_.push_back(real(rivals[i].sms.front()));
      rivals_.push_back(real(rivals[i].sms.size()));
      tested_.push_back(real(counts.others[i].tests));
      evicted_.push_back(real(counts.others[i].events));
      surplus_.push_back(counts.surplus[i] / real(counts.others[i].tests));
      of_idle_.push_back(real(counts.idle.tests));
      by_idle_.push_back(real(counts.idle.events));
      of_own_.push_back(real(counts.own.tests));
      by_own_.push_back(real(counts.own.events));
    }
  }

  const Session* session_;
  Ground ground_;
  bool alone_ = false;  ///< the base before this one shares with nobody
  std::vector<double> base_;
  std::vector<double> first_rival_;
  std::vector<double> rivals_;
  std::vector<double> tested_;
  std::vector<double> evicted_;
  std::vector<double> surplus_;
  std::vector<double> of_idle_;
  std::vector<double> by_idle_;
  std::vector<double> of_own_;
  std::vector<double> by_own_;
};

template <typename T>
std::optional<T> known(const Session& session, std::int64_t level, const char* name) {
  return session.fact<T>("tlb.l" + std::to_string(level) + "." + name);
}

/// Why the ground does not do.
struct TooLittle {
  std::string reason;
};

/// Twice as many pages as the levels before have entries, or as many as this one surely keeps if that is less.
std::int64_t base_pages(const Session& session, std::int64_t level, std::int64_t entries, std::int64_t& stride) {
  constexpr std::int64_t margin = 8;
  const std::int64_t most = std::max<std::int64_t>(entries / 2, 1);
  std::int64_t before = 0;
  for (std::int64_t inner = 1; inner < level; ++inner) {
    const auto count = known<std::int64_t>(session, inner, "entries");
    const auto span = known<std::int64_t>(session, inner, "entry_span");
    if (!count || !span) throw TooLittle{"how many pages level " + std::to_string(inner) + " holds is not known"};
    before = std::max(before, *count);
    stride = std::max(stride, *span);
  }
  if (before > 0 && before + before / 4 >= most) {
    throw TooLittle{"half of its entries are not more than the " + std::to_string(before) + " of the levels before it"};
  }
  constexpr std::int64_t enough = 64;
  return std::min(most, before > 0 ? 2 * before + margin : enough);
}

Ground find_ground(const Session& session, std::int64_t level, std::int64_t entries) {
  Ground ground;
  ground.line = session.needed<std::int64_t>("l2.line_size");
  ground.span = ground.stride = *known<std::int64_t>(session, level, "entry_span");
  ground.penalty = *known<double>(session, level, "miss_penalty");
  ground.pages = base_pages(session, level, entries, ground.stride);
  constexpr std::int64_t modest_bytes = std::int64_t{1} << 30;
  const auto all = session.fact<std::int64_t>("dram.size").value_or(modest_bytes);
  const auto free = session.fact<std::int64_t>("dram.free").value_or(all);
  const std::int64_t room = free - free / 16;
  ground.walk = std::min(2 * entries, (room - ground.start_of_walk()) / ground.span - 1);
  if (ground.walk < entries + entries / 4) {
    throw TooLittle{"the " + std::to_string(room) + " B of memory that can be had hold too few pages to evict all of " +
                    std::to_string(entries)};
  }
  return ground;
}

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
  const auto entries = known<std::int64_t>(session, level, "entries");
  for (const char* name : {"entries", "entry_span", "miss_penalty"}) {
    if (!known<double>(session, level, name)) throw Skip("device", prefix + "." + name + " is not known");
  }
  SmGroups facts{.groups_key = prefix + ".sm_groups",
                 .size_key = prefix + ".sms_per_instance",
                 .method = "eviction-between-sms",
                 .undecided = "whether one evicts the other's pages comes out neither way"};
  const auto refuse = [&](const std::string& reason) {
    session.inconclusive(facts.groups_key, reason);
    session.inconclusive(facts.size_key, reason);
  };
  try {
    const Ground ground = find_ground(session, level, *entries);
    Eviction eviction(session, ground);
    const auto found = analysis::group(session.needed<std::int64_t>("device.sm_count"), std::ref(eviction));
    session.evidence(facts.groups_key, eviction.columns());
    facts.samples = eviction.tested();
    facts.conditions = {{"path", "global.cg"}, {"base_pages", ground.pages}, {"walked_pages", ground.walk}};
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
