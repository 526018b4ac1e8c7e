#include <cmath>
#include <map>

#include "spectrum.hpp"
#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::memory_spectrum {

namespace {

/// The pattern that hits the data cache and translates as this one.
constexpr std::array<std::size_t, patterns.size()> hits_alike{0, 1, 2, 0, 2, 2};

/// Hits are hardly ever late; a few may miss, or find the page-table window elsewhere.
constexpr double few_astray = 0.02;

std::map<std::int64_t, double> means_by_sm(const Sample& sample) {
  std::map<std::int64_t, std::vector<double>> cycles;
  for (std::size_t i = 0; i < sample.cycles.size(); ++i) cycles[sample.sm[i]].push_back(sample.cycles[i]);
  std::map<std::int64_t, double> means;
  for (const auto& [sm, mine] : cycles) means[sm] = analysis::trimmed_mean(mine, few_astray);
  return means;
}

}  // namespace

void add(Samples& samples, const Chase& chase, const chase::Result& result) {
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    Sample& sample = samples.at(i);
    for (const TimedPhase& phase : chase.phases.at(i)) {
      const auto net = analysis::net_latencies(result.traces.at(phase.trace).latency, result.overhead_each);
      sample.cycles.insert(sample.cycles.end(), net.begin(), net.end());
      sample.sm.insert(sample.sm.end(), net.size(), phase.sm);
    }
  }
}

void remove_hits(Samples& samples) {
  for (const std::size_t misses : {3, 4}) {
    const std::size_t hits = hits_alike.at(misses);
    if (samples.at(hits).cycles.empty()) continue;
    const double slowest_near_hit = analysis::delays(samples.at(hits).cycles).distances.front().last;
    Sample left;
    for (std::size_t i = 0; i < samples.at(misses).cycles.size(); ++i) {
      if (samples.at(misses).cycles[i] <= slowest_near_hit) continue;
      left.cycles.push_back(samples.at(misses).cycles[i]);
      left.sm.push_back(samples.at(misses).sm[i]);
    }
    samples.at(misses) = std::move(left);
  }
}

double Latency::error(double of_loads) const { return std::hypot(of_loads, sm_error); }

Latency latency_of(const Samples& samples, std::size_t pattern, const analysis::ModeResolution& resolution) {
  Latency found;
  double mean = 0;
  const auto means = means_by_sm(samples.at(hits_alike.at(pattern)));
  const auto count = static_cast<double>(means.size());
  for (const auto& [sm, cycles] : means) {
    found.sms.push_back(sm);
    found.hits_by_sm.push_back(cycles);
    mean += cycles / count;
  }
  double squares = 0;
  for (const double cycles : found.hits_by_sm) squares += (cycles - mean) * (cycles - mean);
  if (count > 1) found.sm_error = std::sqrt(squares / (count - 1) / count);
  Sample sample = samples.at(pattern);
  for (std::size_t i = 0; i < sample.cycles.size(); ++i) {
    const auto hits = means.find(sample.sm[i]);
    if (hits != means.end()) sample.cycles[i] -= hits->second - mean;
  }
  found.loads = analysis::delays(sample.cycles, resolution);
  return found;
}

}  // namespace tomograph::memory_spectrum
