#include "analysis_samples.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "tomograph/analysis/robust_statistics.hpp"
#include "tomograph/analysis/scatter.hpp"

namespace tomograph::memory_spectrum {

namespace {

/// The pattern that hits the data cache and has the same TLB behaviour as this one.
constexpr std::array<std::size_t, patterns.size()> same_tlbs{p1, p2, p3, p1, p3, p3};

/// Share of hits on either side that a mean leaves out: a few may miss, or switch the page-table window. Chosen on
/// simulated GPUs and an H200.
constexpr double trimmed = 0.02;

/// Trimmed mean and its standard error.
Estimate mean_of(std::vector<double> cycles) {
  std::ranges::sort(cycles);
  const auto outliers = static_cast<std::ptrdiff_t>(trimmed * static_cast<double>(cycles.size()));
  const std::span<const double> kept(cycles.begin() + outliers, cycles.end() - outliers);
  const auto count = static_cast<double>(kept.size());
  const double mean = std::accumulate(kept.begin(), kept.end(), 0.0) / count;
  double squares = 0;
  for (const double one : kept) squares += (one - mean) * (one - mean);
  return {mean, std::sqrt(squares / std::max(count - 1, 1.0) / count)};
}

/// The program and the SM of a load.
using Visit = std::pair<std::int64_t, std::int64_t>;

/// The sample without visits in which more than a tenth of the lines hit the data cache. The remaining loads of such a
/// visit are mostly far, since near hits can be told from misses and far hits cannot. The whole sample if nothing
/// remains.
Sample without_warm_visits(const Sample& sample, double slowest_hit) {
  // Chosen on an H200.
  constexpr double few = 0.1;
  std::map<Visit, double> loads;
  std::map<Visit, double> hits;
  for (std::size_t i = 0; i < sample.cycles.size(); ++i) {
    const Visit visit{sample.program[i], sample.sm[i]};
    ++loads[visit];
    hits[visit] += sample.cycles[i] <= slowest_hit ? 1 : 0;
  }
  Sample cold;
  for (std::size_t i = 0; i < sample.cycles.size(); ++i) {
    const Visit visit{sample.program[i], sample.sm[i]};
    if (hits[visit] <= few * loads[visit]) cold.push_back(sample.at(i));
  }
  return cold.cycles.empty() ? sample : cold;
}

/// The longest that a near hit takes. Near and far hits may make one mode, and what counts as delayed then lies far
/// above both. So no hit takes longer than those that were seen, within the resolution of a mode.
double slowest_near_hit_of(const Sample& hits) {
  const analysis::Delays found = analysis::delays(hits.cycles);
  const analysis::Distance& near = found.distances.front();
  return std::min(near.last, std::ranges::max(near.loads) + analysis::distant.absolute);
}

using BySm = std::map<std::int64_t, Estimate>;

BySm means_by_sm(const Sample& sample) {
  std::map<std::int64_t, std::vector<double>> cycles;
  for (std::size_t i = 0; i < sample.cycles.size(); ++i) cycles[sample.sm[i]].push_back(sample.cycles[i]);
  BySm means;
  for (auto& [sm, mine] : cycles) means[sm] = mean_of(std::move(mine));
  return means;
}

double mean_of_sms(const BySm& means) {
  double sum = 0;
  for (const auto& [sm, hits] : means) sum += hits.value;
  return means.empty() ? 0 : sum / static_cast<double>(means.size());
}

/// The loads without what the hits of their SMs differ from those of all.
Sample as_an_average_sm(Sample sample, const BySm& means) {
  const double mean = mean_of_sms(means);
  for (std::size_t i = 0; i < sample.cycles.size(); ++i) {
    const auto hits = means.find(sample.sm[i]);
    if (hits != means.end()) sample.cycles[i] -= hits->second.value - mean;
  }
  return sample;
}

/// The mean of each visit, in which no load counts as longer than `latest`. The standard deviation of a load is taken
/// from all visits and is at least that of rounding to whole cycles; the correction by hits adds its error.
std::vector<Estimate> visits_of(const Sample& sample, double latest, const BySm& hits) {
  std::map<Visit, std::vector<double>> visits;
  for (std::size_t i = 0; i < sample.cycles.size(); ++i) {
    visits[{sample.program[i], sample.sm[i]}].push_back(std::min(sample.cycles[i], latest));
  }
  std::vector<Estimate> means;
  double squares = 0;
  for (const auto& [visit, cycles] : visits) {
    const double mean = std::accumulate(cycles.begin(), cycles.end(), 0.0) / static_cast<double>(cycles.size());
    for (const double one : cycles) squares += (one - mean) * (one - mean);
    const auto corrected = hits.find(visit.second);
    means.push_back({mean, corrected == hits.end() ? 0 : corrected->second.error});
  }
  const auto freedom = static_cast<double>(sample.cycles.size() - visits.size());
  const double variance = std::max(1.0 / 12, squares / std::max(freedom, 1.0));
  std::size_t next = 0;
  for (const auto& [visit, cycles] : visits) {
    double& error = means[next++].error;
    error = std::hypot(error, std::sqrt(variance / static_cast<double>(cycles.size())));
  }
  return means;
}

}  // namespace

Differences differences_of(std::size_t pattern, const Penalties& penalties) {
  const auto& tlb = penalties.tlb;
  const std::size_t missed = pattern == p1 ? 0 : pattern == p2 ? 1 : tlb.size();
  if (missed > tlb.size()) return {};
  const double expected = std::accumulate(tlb.begin(), tlb.begin() + static_cast<std::ptrdiff_t>(missed), 0.0);
  std::optional<double> further = penalties.l2;
  const auto limit = [&](std::optional<double> miss) {
    if (miss) further = std::min(*miss, further.value_or(*miss));
  };
  if (missed == tlb.size()) limit(penalties.window);
  if (pattern == p2 && missed < tlb.size()) limit(tlb[missed]);
  Differences result;
  if (missed > 0) result.least = expected - tlb[missed - 1] / 2;
  if (further) result.most = expected + *further / 2;
  return result;
}

void Sample::push_back(const Load& load) {
  cycles.push_back(load.cycles);
  sm.push_back(load.sm);
  program.push_back(load.program);
  block.push_back(load.block);
}

Load Sample::at(std::size_t index) const { return {cycles[index], sm[index], program[index], block[index]}; }

void remove_hits(Samples& samples) {
  for (const std::size_t misses : {std::size_t{3}, std::size_t{4}}) {
    const Sample& hits = samples.at(same_tlbs.at(misses));
    Sample& sample = samples.at(misses);
    if (hits.cycles.empty() || sample.cycles.empty()) continue;
    const double slowest_near_hit = slowest_near_hit_of(hits);
    const std::size_t loads = sample.cycles.size();
    const std::size_t others = sample.others;
    sample = without_warm_visits(sample, slowest_near_hit);
    Sample left;
    for (std::size_t i = 0; i < sample.cycles.size(); ++i) {
      if (sample.cycles[i] > slowest_near_hit) left.push_back(sample.at(i));
    }
    const double mean_of_all = latency_of(samples, misses).loads.mean;
    sample = std::move(left);
    sample.others = others + loads - sample.cycles.size();
    if (sample.cycles.empty()) continue;
    const Latency found = latency_of(samples, misses);
    sample.overlaps_hits = found.loads.distances.front().first <= slowest_near_hit &&
                           std::abs(found.loads.mean - mean_of_all) > found.loads.error;
  }
}

void leave_out_open_rows(Samples& samples) {
  Sample& sample = samples[p4];
  if (sample.cycles.empty()) return;
  const Sample corrected = as_an_average_sm(sample, means_by_sm(samples.at(same_tlbs[p4])));
  const double latest = analysis::delays(corrected.cycles).distances.back().last;
  Sample prompt;
  for (std::size_t i = 0; i < corrected.cycles.size(); ++i) {
    if (corrected.cycles[i] <= latest) prompt.push_back(corrected.at(i));
  }
  const auto rows = block_of_open_rows(prompt.cycles, prompt.block);
  if (!rows) return;
  Sample first;
  for (std::size_t i = 0; i < sample.cycles.size(); ++i) {
    if (sample.block[i] > *rows) first.push_back(sample.at(i));
  }
  first.others = sample.others;
  first.overlaps_hits = sample.overlaps_hits;
  first.row_block = *rows;
  first.in_open_rows = sample.cycles.size() - first.cycles.size();
  sample = std::move(first);
}

double translation_in_p1(const Samples& samples) {
  const std::vector<double>& differences = samples[p1].differences;
  if (differences.empty()) return 0;
  constexpr double surely = 3;      // standard errors: false alarm 1.3e-3 (one-sided normal)
  constexpr double rounding = 0.5;  // cycles by which whole ones may shift a mean
  const auto [mean, error] = mean_of(differences);
  return mean > surely * error + rounding ? mean : 0;
}

namespace {

/// One distance of several, nearest first.
analysis::Distance united(std::span<const analysis::Distance> distances) {
  if (distances.size() == 1) return distances.front();
  analysis::Distance all{.first = distances.front().first, .last = distances.back().last, .loads = {}};
  for (const analysis::Distance& one : distances) {
    all.loads.insert(all.loads.end(), one.loads.begin(), one.loads.end());
  }
  all.mean = analysis::trimmed_mean(all.loads, 0);
  all.error = analysis::standard_deviation(all.loads) / std::sqrt(static_cast<double>(all.loads.size()));
  return all;
}

}  // namespace

std::optional<NearAndFar> near_and_far(std::span<const analysis::Distance> distances) {
  constexpr double clearly = 1.5;  // means that are off by a tenth of a gap do not make it so much wider
  double widest = 0;
  double next = 0;
  std::size_t near = 0;
  for (std::size_t i = 1; i < distances.size(); ++i) {
    const double gap = distances[i].mean - distances[i - 1].mean;
    if (gap > widest) near = i;
    next = std::max(next, std::min(gap, widest));
    widest = std::max(widest, gap);
  }
  if (near == 0 || widest < clearly * next) return std::nullopt;
  return NearAndFar{united(distances.first(near)), united(distances.subspan(near))};
}

double Latency::error(double of_loads) const { return std::hypot(of_loads, sm_error, visit_error); }

bool Latency::is_steady() const {
  // Probability that steady visits are called unsteady, for each pattern.
  constexpr double rare = 1e-4;
  return visits.chance > rare || visits.deviation <= 3 * std::hypot(loads.error, sm_error) + 1;
}

Latency latency_of(const Samples& samples, std::size_t pattern, const analysis::ModeResolution& resolution) {
  Latency found;
  const BySm means = means_by_sm(samples.at(same_tlbs.at(pattern)));
  const double mean = mean_of_sms(means);
  const auto count = static_cast<double>(means.size());
  for (const auto& [sm, hits] : means) {
    found.sms.push_back(sm);
    found.hits_by_sm.push_back(hits.value);
  }
  double squares = 0;
  for (const double cycles : found.hits_by_sm) squares += (cycles - mean) * (cycles - mean);
  if (count > 1) found.sm_error = std::sqrt(squares / (count - 1) / count);
  const Sample sample = as_an_average_sm(samples.at(pattern), means);
  found.loads = analysis::delays(sample.cycles, resolution);
  const double all = std::accumulate(sample.cycles.begin(), sample.cycles.end(), 0.0);
  found.delay = std::max(0.0, all / static_cast<double>(sample.cycles.size()) - found.loads.mean);
  const std::vector<Estimate> visits = visits_of(sample, found.loads.distances.back().last, means);
  found.visits = heterogeneity(visits);
  found.visit_error = found.visits.deviation / std::sqrt(std::max<double>(1, static_cast<double>(visits.size())));
  return found;
}

bool are_served_at_two_depths(const Samples& samples) {
  if (samples[p1].cycles.empty() || samples[p4].cycles.empty()) return false;
  const auto found = near_and_far(latency_of(samples, p4).loads.distances);
  if (!found) return false;
  const double hit = latency_of(samples, p1).loads.mean;
  return found->far.mean - hit > 2 * (found->near.mean - hit);
}

double sure_excess(const Samples& samples, std::size_t first_visits) {
  double excess = 0;
  double reach = 0;
  for (const auto& [pattern, sign] : {std::pair{first_visits, 1}, {p4, -1}, {p3, -1}, {p1, 1}}) {
    if (samples.at(pattern).cycles.empty()) return 0;
    const Latency found = latency_of(samples, pattern);
    excess += sign * found.loads.mean;
    reach = std::hypot(reach, found.reach(found.loads.error));
  }
  return std::abs(excess) > reach ? excess : 0;
}

}  // namespace tomograph::memory_spectrum
