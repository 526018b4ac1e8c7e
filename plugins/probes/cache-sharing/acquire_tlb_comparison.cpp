#include "acquire_tlb_comparison.hpp"

#include <algorithm>
#include <numeric>

#include "analysis_counts.hpp"
#include "tomograph/tlb/walk.hpp"

namespace tomograph::cache_sharing {

namespace {

using analysis::EffectOdds;

/// A comparison is repeated until it is wrong with less than this probability, or most_batches times. The error of the
/// groups is the sum of those of the comparisons.
constexpr double sure_of_groups = 1e-5;
constexpr std::int64_t most_batches = 6;  // bounds the time; what is then undecided is not published
constexpr std::size_t repetitions = 4;    // of a control

constexpr std::size_t controls = 2 * repetitions;  // an idle walker and the tester itself
/// Pages tested after each walker in a batch.
constexpr std::int64_t visits_per_batch = 32;
std::int64_t trials_per_batch(const TlbLayout& layout) { return (visits_per_batch + layout.pages - 1) / layout.pages; }

}  // namespace

std::vector<std::vector<Visits>> TlbExperiment::run(std::span<const TlbTest> tests) {
  std::vector<chase::Program> programs;
  for (const TlbTest& test : tests) programs.push_back(program(layout_, test, trial_++));
  std::vector<std::vector<Visits>> visits;
  for (const chase::Result& result : session_->ask(programs)) {
    visits.emplace_back();
    for (const auto& trace : result.traces) visits.back().push_back(tlb::differences(trace));
  }
  return visits;
}

EffectOdds TlbExperiment::combine(std::int64_t one, std::int64_t other, const EffectOdds& forth,
                                  const EffectOdds& back) {
  if (back.absent > back.full) one_way.push_back({one, other});
  return both_directions(forth, back);
}

std::vector<EffectOdds> CompareOneByOne::operator()(std::int64_t base, std::span<const std::int64_t> others) {
  // One undecided comparison leaves all groups undecided.
  if (undecided_) return std::vector<EffectOdds>(others.size(), {.absent = 0.5, .full = 0.5});
  if (alone_ && others.size() > 1) {
    const EffectOdds together = odds(base, {Sms(others.begin(), others.end())}).front();
    if (together.error() < sure_of_groups && together.absent > together.full) {
      const double error = together.error() / static_cast<double>(others.size());
      return std::vector<EffectOdds>(others.size(), {.absent = 1 - error, .full = error});
    }
  }
  std::vector<Sms> walkers;
  for (const std::int64_t other : others) walkers.push_back({other});
  auto result = odds(base, walkers);
  for (std::size_t i = 0; i < others.size(); ++i) {
    if (result[i].full < result[i].absent) continue;
    result[i] = experiment_->combine(others[i], base, result[i], odds(others[i], {{base}}).front());
  }
  undecided_ = std::ranges::any_of(result, [](const auto& one) { return one.error() > largest_error; });
  alone_ = std::ranges::all_of(result, [](const auto& one) { return one.absent > one.full; });
  return result;
}

std::vector<EffectOdds> CompareOneByOne::odds(std::int64_t base, const std::vector<Sms>& walkers) {
  std::vector<TestedSm> found(walkers.size());
  std::vector<EffectOdds> result;
  experiment_->counter.idle = {};
  experiment_->counter.own = {};
  for (std::int64_t batch = 0; batch < most_batches; ++batch) {
    measure(base, walkers, batch, found);
    result = experiment_->counter.odds(found);
    if (all_sure(result, sure_of_groups)) break;
  }
  for (std::size_t i = 0; i < walkers.size(); ++i) {
    experiment_->counter.keep(walkers[i].front(), walkers[i].size(), base, found[i]);
  }
  return result;
}

void CompareOneByOne::measure(std::int64_t base, const std::vector<Sms>& walkers, std::int64_t batch,
                              std::vector<TestedSm>& found) {
  const std::int64_t trials = trials_per_batch(experiment_->layout());
  std::vector<TlbTest> tests;
  for (std::int64_t lines = batch * trials; lines < (batch + 1) * trials; ++lines) {
    for (std::size_t i = 0; i < repetitions; ++i) {
      tests.push_back({.walkers = {walkers.front().front()}, .testers = {base}, .idle = true, .lines = lines});
      tests.push_back({.walkers = {base}, .testers = {base}, .idle = false, .lines = lines});
    }
    for (const Sms& one : walkers) {
      tests.push_back({.walkers = one, .testers = {base}, .idle = false, .lines = lines});
    }
  }
  const auto visits = experiment_->run(tests);
  const std::size_t per_trial = controls + walkers.size();
  for (std::size_t first = 0; first < visits.size(); first += per_trial) {
    evaluate(std::span(visits).subspan(first, per_trial), found);
  }
}

void CompareOneByOne::evaluate(std::span<const std::vector<Visits>> trial, std::vector<TestedSm>& found) {
  EvictionCounter& counter = experiment_->counter;
  std::vector<Visits> after_idle;
  for (std::size_t i = 0; i < controls; i += 2) after_idle.push_back(trial[i].front());
  const Visits undisturbed = medians(after_idle, repetitions);
  counter.count_idle(after_idle);
  for (std::size_t i = 1; i < controls; i += 2) counter.count(trial[i].front(), undisturbed, counter.own);
  for (std::size_t i = controls; i < trial.size(); ++i) {
    counter.add(trial[i].front(), undisturbed, found[i - controls]);
  }
}

std::vector<EffectOdds> CompareSplits::operator()(const analysis::Split& split) {
  std::vector<TestedSm> found(split.others.size());
  std::vector<EffectOdds> result;
  std::vector<std::size_t> open(split.others.size());
  std::iota(open.begin(), open.end(), std::size_t{0});
  experiment_->counter.idle = {};
  experiment_->counter.own = {};
  for (std::int64_t batch = 0; batch < most_batches && !open.empty(); ++batch) {
    measure(split, open, batch, found);
    result = experiment_->counter.odds(found);
    open = unsure(result, sure_of_groups);
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    experiment_->counter.keep(split.ones.front(), split.ones.size(), split.others[i], found[i]);
  }
  return result;
}

/// In each trial, controls of the testers that `open` names, and their visits after the walks of the others.
void CompareSplits::measure(const analysis::Split& split, std::span<const std::size_t> open, std::int64_t batch,
                            std::vector<TestedSm>& found) {
  const std::int64_t trials = trials_per_batch(experiment_->layout());
  Sms testers;
  for (const std::size_t i : open) testers.push_back(split.others[i]);
  std::vector<TlbTest> tests;
  for (std::int64_t lines = batch * trials; lines < (batch + 1) * trials; ++lines) {
    const TlbTest idle{.walkers = {split.ones.front()}, .testers = testers, .idle = true, .lines = lines};
    tests.insert(tests.end(), repetitions, idle);
    for (const Sms& walkers : {testers, split.ones}) {
      tests.push_back({.walkers = walkers, .testers = testers, .lines = lines, .rounds = rounds_});
    }
  }
  const auto visits = experiment_->run(tests);
  constexpr std::size_t per_trial = repetitions + 2;
  for (std::size_t first = 0; first < visits.size(); first += per_trial) {
    for (std::size_t tester = 0; tester < testers.size(); ++tester) {
      evaluate(std::span(visits).subspan(first, per_trial), tester, found[open[tester]]);
    }
  }
}

void CompareSplits::evaluate(std::span<const std::vector<Visits>> trial, std::size_t tester, TestedSm& found) {
  EvictionCounter& counter = experiment_->counter;
  std::vector<Visits> after_idle;
  for (std::size_t i = 0; i < repetitions; ++i) after_idle.push_back(trial[i][tester]);
  const Visits undisturbed = medians(after_idle, repetitions);
  counter.count_idle(after_idle);
  counter.count(trial[repetitions][tester], undisturbed, counter.own);
  counter.add(trial[repetitions + 1][tester], undisturbed, found);
}

CompareManyAtOnce::CompareManyAtOnce(TlbExperiment& experiment, std::int64_t sms) : experiment_(&experiment) {
  std::vector<TlbTest> tests;
  for (std::int64_t first = 0; first < sms; first += experiment_->layout().testers) {
    const std::int64_t end = std::min(first + experiment_->layout().testers, sms);
    TlbTest test{.walkers = {end % sms}, .testers = {}, .idle = true};
    for (std::int64_t sm = first; sm < end; ++sm) test.testers.push_back(sm);
    tests.insert(tests.end(), repetitions, test);
  }
  const auto visits = experiment_->run(tests);
  for (std::size_t first = 0; first < tests.size(); first += repetitions) {
    for (std::size_t tester = 0; tester < tests[first].testers.size(); ++tester) {
      std::vector<Visits> repeated;
      for (std::size_t i = 0; i < repetitions; ++i) repeated.push_back(visits[first + i][tester]);
      undisturbed_.push_back(medians(repeated, repetitions));
      experiment_->counter.count_idle(repeated);
    }
  }
}

std::vector<EffectOdds> CompareManyAtOnce::operator()(std::int64_t base, std::span<const std::int64_t> others) {
  std::vector<TestedSm> found(others.size());
  std::vector<EffectOdds> result;
  std::vector<std::size_t> open(others.size());
  std::iota(open.begin(), open.end(), std::size_t{0});
  for (std::int64_t batch = 0; batch < most_batches && !open.empty(); ++batch) {
    test(base, others, open, found);
    result = experiment_->counter.odds(found);
    std::erase_if(open, [&](std::size_t i) { return result[i].error() < sure_of_groups; });
  }
  for (std::size_t i = 0; i < others.size(); ++i) experiment_->counter.keep(base, 1, others[i], found[i]);
  test_back(base, others, result);
  return result;
}

/// The base is tested after the walks of those that it evicts. What denies an eviction then is asked again with longer
/// walks.
void CompareManyAtOnce::test_back(std::int64_t base, std::span<const std::int64_t> others,
                                  std::vector<EffectOdds>& result) {
  Sms evicted;
  std::vector<std::size_t> place;
  for (std::size_t i = 0; i < others.size(); ++i) {
    if (result[i].full <= result[i].absent) continue;
    evicted.push_back(others[i]);
    place.push_back(i);
  }
  std::vector<EffectOdds> back = odds_of_base(base, evicted, 1);
  Sms denied;
  for (std::size_t i = 0; i < evicted.size(); ++i) {
    if (back[i].absent > back[i].full) denied.push_back(evicted[i]);
  }
  const std::vector<EffectOdds> again = odds_of_base(base, denied, enough_rounds);
  for (std::size_t i = 0, next = 0; i < evicted.size(); ++i) {
    if (back[i].absent > back[i].full) back[i] = again[next++];
    result[place[i]] = experiment_->combine(base, evicted[i], result[place[i]], back[i]);
  }
}

/// The odds that each of `walkers` evicts the base's pages by walks of so many rounds.
std::vector<EffectOdds> CompareManyAtOnce::odds_of_base(std::int64_t base, const Sms& walkers, std::int64_t rounds) {
  std::vector<TlbTest> tests;
  for (const std::int64_t walker : walkers) {
    tests.push_back({.walkers = {walker}, .testers = {base}, .rounds = rounds});
  }
  std::vector<TestedSm> found(walkers.size());
  std::vector<EffectOdds> result;
  for (std::int64_t batch = 0; batch < most_batches && !walkers.empty(); ++batch) {
    const auto visits = experiment_->run(tests);
    for (std::size_t i = 0; i < walkers.size(); ++i) {
      experiment_->counter.add(visits[i].front(), undisturbed_[static_cast<std::size_t>(base)], found[i]);
    }
    result = experiment_->counter.odds(found);
    if (all_sure(result, sure_of_groups)) break;
  }
  for (std::size_t i = 0; i < walkers.size(); ++i) experiment_->counter.keep(walkers[i], 1, base, found[i]);
  return result;
}

/// One batch of programs on those of `others` that `open` names. The base itself is tested among its neighbours.
void CompareManyAtOnce::test(std::int64_t base, std::span<const std::int64_t> others, std::span<const std::size_t> open,
                             std::vector<TestedSm>& found) {
  std::map<std::int64_t, TlbTest> neighbours;
  std::map<std::int64_t, std::size_t> place;
  neighbours[base / experiment_->layout().testers].testers.push_back(base);
  for (const std::size_t i : open) {
    neighbours[others[i] / experiment_->layout().testers].testers.push_back(others[i]);
    place[others[i]] = i;
  }
  std::vector<TlbTest> tests;
  for (auto& [first, test] : neighbours) {
    test.walkers = {base};
    tests.push_back(std::move(test));
  }
  const auto visits = experiment_->run(tests);
  for (std::size_t i = 0; i < tests.size(); ++i) {
    for (std::size_t tester = 0; tester < tests[i].testers.size(); ++tester) {
      const std::int64_t sm = tests[i].testers[tester];
      const auto& undisturbed = undisturbed_[static_cast<std::size_t>(sm)];
      if (sm == base) {
        experiment_->counter.count(visits[i][tester], undisturbed, experiment_->counter.own);
      } else {
        experiment_->counter.add(visits[i][tester], undisturbed, found[place.at(sm)]);
      }
    }
  }
}

}  // namespace tomograph::cache_sharing
