#include "analysis_tlb_evictions.hpp"

#include <algorithm>
#include <numeric>

#include "analysis_counts.hpp"
#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::cache_sharing {

using analysis::EffectOdds;

Visits medians(std::span<const Visits> repeated, std::size_t left_out) {
  Visits result;
  result.reserve(repeated.front().size());
  std::vector<double> own;
  own.reserve(repeated.size());
  for (std::size_t page = 0; page < repeated.front().size(); ++page) {
    own.clear();
    for (std::size_t i = 0; i < repeated.size(); ++i) {
      if (i != left_out) own.push_back(repeated[i][page]);
    }
    result.push_back(analysis::median_in_place(own));
  }
  return result;
}

EffectOdds both_directions(const EffectOdds& forth, const EffectOdds& back) {
  if (back.absent > back.full) return back;
  const double error = std::min(forth.error() + back.error(), 1.0);
  return {.absent = error, .full = 1 - error};
}

void EvictionCounter::count(const Visits& visits, const Visits& undisturbed, analysis::EventCount& into) const {
  for (std::size_t page = 0; page < visits.size(); ++page) {
    into += {.events = visits[page] - undisturbed[page] > penalty_ / 2 ? 1U : 0U, .tests = 1};
  }
}

void EvictionCounter::add(const Visits& visits, const Visits& undisturbed, TestedSm& tested) const {
  count(visits, undisturbed, tested.count);
  for (std::size_t page = 0; page < visits.size(); ++page) {
    tested.extra_latency += visits[page] - undisturbed[page];
    tested.hidden += visits[page] <= least_of_level_ ? 1 : 0;
  }
}

void EvictionCounter::count_idle(std::span<const Visits> repeated) {
  for (std::size_t i = 0; i < repeated.size(); ++i) count(repeated[i], medians(repeated, i), idle);
}

bool EvictionCounter::is_clear() const {
  // Two or more of the 12 pages of a tester are then misread in 2 % of the programs.
  constexpr double rare = 0.02;
  return static_cast<double>(idle.events) <= rare * static_cast<double>(idle.tests);
}

std::string EvictionCounter::objection() const {
  // If noise makes a quarter of the visits look hidden, most visits of a tester's twelve are in 1.4 % of the cases
  // (binomial).
  constexpr double rare = 0.05;
  if (static_cast<double>(hidden_.events) > rare * static_cast<double>(hidden_.tests)) {
    return "the levels before keep the pages by which SMs are compared, and hide who evicts them from this one";
  }
  if (partly_evicted_ > 0) return "walks of an SM evict a part of the pages of another one, neither all nor none";
  return {};
}

void EvictionCounter::drop_objections() {
  hidden_ = {};
  partly_evicted_ = 0;
}

bool EvictionCounter::is_partial(const analysis::EventCount& count) const {
  // Of thousands of testers none should look like this by chance.
  constexpr double sure = 0.999;
  const auto rate = [](const analysis::EventCount& of) {
    return static_cast<double>(of.events) / static_cast<double>(std::max<std::size_t>(of.tests, 1));
  };
  // Saves the evaluation of counts that are clearly none or all.
  const double share = (rate(count) - rate(idle)) / (rate(own) - rate(idle));
  return share > 0.25 && share < 0.75 && analysis::odds(analysis::effect_evidence(idle, own, count)).partial > sure;
}

std::vector<EffectOdds> EvictionCounter::odds(std::span<const TestedSm> all) const {
  std::vector<analysis::EventCount> counts;
  for (const TestedSm& one : all) counts.push_back(one.count);
  return odds_without_partial(idle, own, counts);
}

void EvictionCounter::keep(std::int64_t walker, std::size_t walkers, std::int64_t tester, const TestedSm& tested) {
  const auto left = tested.count.tests - tested.count.events;
  if (2 * left > tested.count.tests) hidden_ += {.events = 2 * tested.hidden > left ? 1U : 0U, .tests = 1};
  partly_evicted_ += is_partial(tested.count) ? 1 : 0;
  const auto real = [](auto number) { return static_cast<double>(number); };
  const std::array row{real(walker),
                       real(walkers),
                       real(tester),
                       real(tested.count.tests),
                       real(tested.count.events),
                       tested.extra_latency / real(tested.count.tests),
                       real(idle.tests),
                       real(idle.events),
                       real(own.tests),
                       real(own.events)};
  for (std::size_t i = 0; i < row.size(); ++i) columns_[i].push_back(row[i]);
}

std::vector<NamedArray> EvictionCounter::columns() const {
  std::vector<NamedArray> all;
  for (std::size_t i = 0; i < names.size(); ++i) all.push_back({names[i], columns_[i]});
  return all;
}

std::uint64_t EvictionCounter::tested() const {
  return static_cast<std::uint64_t>(std::accumulate(columns_[3].begin(), columns_[3].end(), 0.0));
}

}  // namespace tomograph::cache_sharing
