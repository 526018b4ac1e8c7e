#include "tlb_counting.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "tomograph/analysis/robust_statistics.hpp"
#include "tomograph/tlb/walk.hpp"

namespace tomograph::cache_sharing {

using analysis::EffectOdds;

std::vector<double> medians(std::span<const std::vector<double>> repeated, std::size_t left_out) {
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

EffectOdds Counting::both_ways(std::int64_t base, std::int64_t other, const EffectOdds& forth, const EffectOdds& back) {
  if (back.absent > back.full) {
    one_way.push_back({base, other});
    return back;
  }
  const double error = std::min(forth.error() + back.error(), 1.0);
  return {.absent = error, .full = 1 - error};
}

std::vector<std::vector<std::vector<double>>> Counting::run(std::span<const Scene> scenes) {
  std::vector<chase::Program> programs;
  for (const Scene& scene : scenes) programs.push_back(program(ground_, scene, trial_++));
  std::vector<std::vector<std::vector<double>>> extra_latency;
  for (const chase::Result& result : session_->execute(programs)) {
    extra_latency.emplace_back();
    for (const auto& trace : result.traces) extra_latency.back().push_back(tlb::differences(trace));
  }
  return extra_latency;
}

void Counting::count(std::span<const double> cycles, std::span<const double> calm, analysis::EventCount& into) const {
  for (std::size_t page = 0; page < cycles.size(); ++page) {
    into += {.events = cycles[page] - calm[page] > ground_.penalty / 2 ? 1U : 0U, .tests = 1};
  }
}

void Counting::add(std::span<const double> cycles, std::span<const double> calm, Tested& tested) const {
  count(cycles, calm, tested.count);
  for (std::size_t page = 0; page < cycles.size(); ++page) tested.extra_latency += cycles[page] - calm[page];
}

std::vector<EffectOdds> Counting::odds(std::span<const Tested> all) const {
  // Many SMs have the same counts.
  std::map<std::pair<std::size_t, std::size_t>, EffectOdds> known;
  std::vector<EffectOdds> result;
  for (const Tested& one : all) {
    const auto [entry, is_new] = known.try_emplace({one.count.events, one.count.tests});
    if (is_new) entry->second = analysis::odds(analysis::effect_evidence(idle, own, one.count), 0);
    result.push_back(entry->second);
  }
  return result;
}

void Counting::keep(std::int64_t walker, std::size_t walkers, std::int64_t tester, const Tested& tested) {
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

std::vector<NamedArray> Counting::columns() const {
  std::vector<NamedArray> all;
  for (std::size_t i = 0; i < names.size(); ++i) all.push_back({names[i], columns_[i]});
  return all;
}

std::uint64_t Counting::tested() const {
  return static_cast<std::uint64_t>(std::accumulate(columns_[3].begin(), columns_[3].end(), 0.0));
}

}  // namespace tomograph::cache_sharing
