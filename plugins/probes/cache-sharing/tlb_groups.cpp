#include <algorithm>
#include <functional>
#include <map>
#include <numeric>

#include "sm_groups.hpp"
#include "tlb_counting.hpp"
#include "view.hpp"

namespace tomograph::cache_sharing {

namespace {

using analysis::EffectOdds;

constexpr double sure = 1e-5;
/// Of a comparison that counts as decided.
constexpr double largest_error = 0.01;
constexpr std::int64_t most_batches = 6;
constexpr std::size_t repetitions = 4;

/// Compares by testing the base after others have walked, one by one, beside as many controls of its own in each trial.
/// For small levels and small penalties, which need every page there is and the tester's own noise.
class OneByOne {
 public:
  OneByOne(Counting& counting, const Ground& ground) : counting_(&counting), ground_(ground) {}

  /// Once a base had nobody to share with, first all of the others walk before one test.
  std::vector<EffectOdds> operator()(std::int64_t base, std::span<const std::int64_t> others) {
    // One comparison that comes out neither way leaves no groups to be told.
    if (undecided_) return std::vector<EffectOdds>(others.size(), {.absent = 0.5, .full = 0.5});
    if (alone_ && others.size() > 1) {
      const EffectOdds together = odds(base, {Sms(others.begin(), others.end())}).front();
      if (together.error() < sure && together.absent > together.full) {
        const double error = together.error() / static_cast<double>(others.size());
        return std::vector<EffectOdds>(others.size(), {.absent = 1 - error, .full = error});
      }
    }
    std::vector<Sms> walkers;
    for (const std::int64_t other : others) walkers.push_back({other});
    auto result = odds(base, walkers);
    for (std::size_t i = 0; i < others.size(); ++i) {
      if (result[i].full < result[i].absent) continue;
      result[i] = counting_->both_ways(others[i], base, result[i], odds(others[i], {{base}}).front());
    }
    undecided_ = std::ranges::any_of(result, [](const auto& one) { return one.error() > largest_error; });
    alone_ = std::ranges::all_of(result, [](const auto& one) { return one.absent > one.full; });
    return result;
  }

 private:
  /// Pages tested per walker in a batch.
  static constexpr std::int64_t visits_per_batch = 32;
  static constexpr std::size_t controls = 2 * repetitions;

  std::vector<EffectOdds> odds(std::int64_t base, const std::vector<Sms>& walkers) {
    std::vector<Tested> found(walkers.size());
    std::vector<EffectOdds> result;
    counting_->idle = {};
    counting_->own = {};
    for (std::int64_t batch = 0; batch < most_batches; ++batch) {
      measure(base, walkers, batch, found);
      result = counting_->odds(found);
      if (std::ranges::all_of(result, [](const auto& one) { return one.error() < sure; })) break;
    }
    for (std::size_t i = 0; i < walkers.size(); ++i) {
      counting_->keep(walkers[i].front(), walkers[i].size(), base, found[i]);
    }
    return result;
  }

  void measure(std::int64_t base, const std::vector<Sms>& walkers, std::int64_t batch, std::vector<Tested>& found) {
    const std::int64_t trials = (visits_per_batch + ground_.pages - 1) / ground_.pages;
    std::vector<Scene> scenes;
    for (std::int64_t lines = batch * trials; lines < (batch + 1) * trials; ++lines) {
      for (std::size_t i = 0; i < repetitions; ++i) {
        scenes.push_back({.walkers = {walkers.front().front()}, .testers = {base}, .idle = true, .lines = lines});
        scenes.push_back({.walkers = {base}, .testers = {base}, .idle = false, .lines = lines});
      }
      for (const Sms& one : walkers) {
        scenes.push_back({.walkers = one, .testers = {base}, .idle = false, .lines = lines});
      }
    }
    const auto extra_latency = counting_->run(scenes);
    const std::size_t per_trial = controls + walkers.size();
    for (std::size_t first = 0; first < extra_latency.size(); first += per_trial) {
      reduce(std::span(extra_latency).subspan(first, per_trial), found);
    }
  }

  void reduce(std::span<const std::vector<std::vector<double>>> trial, std::vector<Tested>& found) {
    std::vector<std::vector<double>> after_idle;
    for (std::size_t i = 0; i < controls; i += 2) after_idle.push_back(trial[i].front());
    const auto calm = medians(after_idle, repetitions);
    for (std::size_t i = 0; i < repetitions; ++i) {
      counting_->count(after_idle[i], medians(after_idle, i), counting_->idle);
      counting_->count(trial[2 * i + 1].front(), calm, counting_->own);
    }
    for (std::size_t i = controls; i < trial.size(); ++i) {
      counting_->add(trial[i].front(), calm, found[i - controls]);
    }
  }

  Counting* counting_;
  Ground ground_;
  bool alone_ = false;      ///< the base before this one shares with nobody
  bool undecided_ = false;  ///< of some comparison
};

/// Compares by testing dozens of SMs, each on pages of its own, after one walk of the base. For levels with room for
/// all these pages, and penalties that stand out from noise in every SM.
class ManyAtOnce {
 public:
  /// Measures what visits take after idle walkers.
  ManyAtOnce(Counting& counting, const Ground& ground, std::int64_t sms) : counting_(&counting), ground_(ground) {
    std::vector<Scene> scenes;
    for (std::int64_t first = 0; first < sms; first += ground_.testers) {
      const std::int64_t end = std::min(first + ground_.testers, sms);
      Scene scene{.walkers = {end % sms}, .testers = {}, .idle = true};
      for (std::int64_t sm = first; sm < end; ++sm) scene.testers.push_back(sm);
      scenes.insert(scenes.end(), repetitions, scene);
    }
    const auto extra_latency = counting_->run(scenes);
    for (std::size_t first = 0; first < scenes.size(); first += repetitions) {
      for (std::size_t tester = 0; tester < scenes[first].testers.size(); ++tester) {
        std::vector<std::vector<double>> repeated;
        for (std::size_t i = 0; i < repetitions; ++i) repeated.push_back(extra_latency[first + i][tester]);
        calm_.push_back(medians(repeated, repetitions));
        for (std::size_t i = 0; i < repetitions; ++i) {
          counting_->count(repeated[i], medians(repeated, i), counting_->idle);
        }
      }
    }
  }

  /// Whether a visit tells by itself whether its page was evicted.
  [[nodiscard]] bool is_clear() const {
    constexpr double rare = 0.02;
    return static_cast<double>(counting_->idle.events) <= rare * static_cast<double>(counting_->idle.tests);
  }

  /// Those that are not sure yet are tested again.
  std::vector<EffectOdds> operator()(std::int64_t base, std::span<const std::int64_t> others) {
    std::vector<Tested> found(others.size());
    std::vector<EffectOdds> result;
    std::vector<std::size_t> open(others.size());
    std::iota(open.begin(), open.end(), std::size_t{0});
    for (std::int64_t batch = 0; batch < most_batches && !open.empty(); ++batch) {
      test(base, others, open, found);
      result = counting_->odds(found);
      std::erase_if(open, [&](std::size_t i) { return result[i].error() < sure; });
    }
    for (std::size_t i = 0; i < others.size(); ++i) counting_->keep(base, 1, others[i], found[i]);
    test_back(base, others, result);
    return result;
  }

 private:
  /// The base is tested after the walks of those that it evicts.
  void test_back(std::int64_t base, std::span<const std::int64_t> others, std::vector<EffectOdds>& result) {
    std::vector<std::size_t> evicted;
    for (std::size_t i = 0; i < others.size(); ++i) {
      if (result[i].full > result[i].absent) evicted.push_back(i);
    }
    std::vector<Scene> scenes;
    for (const std::size_t i : evicted) scenes.push_back({.walkers = {others[i]}, .testers = {base}});
    std::vector<Tested> found(evicted.size());
    std::vector<EffectOdds> back;
    for (std::int64_t batch = 0; batch < most_batches && !evicted.empty(); ++batch) {
      const auto extra_latency = counting_->run(scenes);
      for (std::size_t i = 0; i < evicted.size(); ++i) {
        counting_->add(extra_latency[i].front(), calm_[static_cast<std::size_t>(base)], found[i]);
      }
      back = counting_->odds(found);
      if (std::ranges::all_of(back, [](const auto& one) { return one.error() < sure; })) break;
    }
    for (std::size_t i = 0; i < evicted.size(); ++i) {
      const std::int64_t other = others[evicted[i]];
      counting_->keep(other, 1, base, found[i]);
      result[evicted[i]] = counting_->both_ways(base, other, result[evicted[i]], back[i]);
    }
  }

  /// One batch of programs on those of `others` that `open` names. The base itself is tested among its neighbours.
  void test(std::int64_t base, std::span<const std::int64_t> others, std::span<const std::size_t> open,
            std::vector<Tested>& found) {
    std::map<std::int64_t, Scene> neighbours;
    std::map<std::int64_t, std::size_t> place;
    neighbours[base / ground_.testers].testers.push_back(base);
    for (const std::size_t i : open) {
      neighbours[others[i] / ground_.testers].testers.push_back(others[i]);
      place[others[i]] = i;
    }
    std::vector<Scene> scenes;
    for (auto& [first, scene] : neighbours) {
      scene.walkers = {base};
      scenes.push_back(std::move(scene));
    }
    const auto extra_latency = counting_->run(scenes);
    for (std::size_t i = 0; i < scenes.size(); ++i) {
      for (std::size_t tester = 0; tester < scenes[i].testers.size(); ++tester) {
        const std::int64_t sm = scenes[i].testers[tester];
        const auto& calm = calm_[static_cast<std::size_t>(sm)];
        if (sm == base) {
          counting_->count(extra_latency[i][tester], calm, counting_->own);
        } else {
          counting_->add(extra_latency[i][tester], calm, found[place.at(sm)]);
        }
      }
    }
  }

  Counting* counting_;
  Ground ground_;
  std::vector<std::vector<double>> calm_;  ///< by SM and page: what a visit takes that finds its page
};

/// Groups of SMs that share the level, by whichever way of comparing suits it.
analysis::Grouping grouped(Counting& counting, const Ground& ground, std::int64_t sms) {
  if (ground.testers > 1) {
    ManyAtOnce many(counting, ground, sms);
    if (many.is_clear()) return analysis::group(sms, std::ref(many), largest_error);
  }
  OneByOne one(counting, ground);
  return analysis::group(sms, std::ref(one), largest_error);
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
    Counting counting(session, ground);
    const auto found = grouped(counting, ground, sms);
    session.evidence(facts.groups_key, counting.columns());
    facts.samples = counting.tested();
    facts.conditions = {{"path", "global.cg"},
                        {"pages", ground.pages},
                        {"testers_at_once", ground.testers},
                        {"walked_pages", ground.walk}};
    if (!counting.one_way.empty()) facts.conditions["evicts_one_way"] = counting.one_way;
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
