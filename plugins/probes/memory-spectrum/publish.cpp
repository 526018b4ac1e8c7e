#include <algorithm>
#include <cmath>

#include "spectrum.hpp"
#include "tomograph/analysis/latency_modes.hpp"
#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::memory_spectrum {

namespace {

constexpr std::int64_t trials = 3;
constexpr const char* evidence = "memory_spectrum";

Json rounded(double value) { return std::round(value * 10) / 10; }

/// Delays by refresh and the like are those that lie far out: three interquartile ranges above the upper quartile
/// (Tukey 1977), which neither they nor two modes of about equal weight, near and far, move much.
Json distribution(std::span<const double> sample) {
  const double upper = analysis::quantile(sample, 0.75);
  const double bulk = upper + 3 * (upper - analysis::quantile(sample, 0.25));
  std::vector<double> late;
  std::ranges::copy_if(sample, std::back_inserter(late), [&](double cycles) { return cycles > bulk; });
  Json result{{"statistic", "median"},
              {"p01", rounded(analysis::quantile(sample, 0.01))},
              {"p25", rounded(analysis::quantile(sample, 0.25))},
              {"p75", rounded(analysis::quantile(sample, 0.75))},
              {"p99", rounded(analysis::quantile(sample, 0.99))},
              {"outlier_share", static_cast<double>(late.size()) / static_cast<double>(sample.size())}};
  if (!late.empty()) result["outlier_median"] = rounded(analysis::median(late));
  return result;
}

Fact median_fact(std::string key, std::span<const double> sample, Json conditions) {
  constexpr double coverage = 0.99;
  const auto interval = analysis::median_interval(sample, coverage);
  return {.key = std::move(key),
          .value = analysis::median(sample),
          .method = "non-uniform-stride-chase",
          .confidence = std::min(coverage, interval.coverage),
          .interval = Interval{interval.low - 2, interval.high + 2},
          .samples = sample.size(),
          .conditions = std::move(conditions),
          .evidence = evidence};
}

std::string why_not(std::size_t pattern, const Known& known) {
  if (!known.first) return "no TLB shows on this device";
  if (pattern == 5) return "no page-table window shows on this device";
  if (pattern == 2 && !known.last) return "no second level of TLB shows on this device";
  return "the memory that could be had does not hold pages enough";
}

/// Near and far memory are the two largest modes of loads that miss L2 and hit the first TLB.
void publish_dram(const Session& session, const std::vector<double>& sample) {
  Json conditions = distribution(sample);
  conditions["includes"] = "the way past L2, near and far memory alike, first TLB hit";
  session.publish(median_fact("dram.latency", sample, conditions));
  const auto partitions = session.fact<std::int64_t>("l2.partition.count").value_or(1);
  auto modes = analysis::modes(sample, {.absolute = 10, .relative = 0.02, .min_weight = 0.15});
  if (modes.size() < 2) modes = analysis::modes(sample, {.absolute = 5, .relative = 0.01, .min_weight = 0.15});
  if (partitions < 2) {
    session.publish(median_fact("dram.latency.near", sample, conditions));
    return session.absent("dram.latency.far", "there is one partition: no memory is far");
  }
  if (modes.size() < 2) {
    for (const char* key : {"dram.latency.near", "dram.latency.far"}) {
      session.inconclusive(key, "near and far memory do not stand apart");
    }
    return;
  }
  const double cut = (modes.front().high + modes.back().low) / 2;
  std::vector<double> near;
  std::vector<double> far;
  for (const double cycles : sample) {
    if (cycles < cut) near.push_back(cycles);
    if (cycles > cut && cycles <= modes.back().high) far.push_back(cycles);
  }
  session.publish(median_fact("dram.latency.near", near, distribution(near)));
  session.publish(median_fact("dram.latency.far", far, distribution(far)));
}

std::optional<Tlb> level(const Session& session, const std::string& prefix) {
  const auto entries = session.fact<std::int64_t>(prefix + ".entries");
  const auto span = session.fact<std::int64_t>(prefix + ".entry_span");
  if (!entries || !span) return std::nullopt;
  return Tlb{*entries, *span};
}

Known known(const Session& session) {
  constexpr std::int64_t modest = std::int64_t{512} << 20;
  Known result;
  result.line = session.needed<std::int64_t>("l2.line_size");
  result.l2_bytes = session.fact<std::int64_t>("l2.nominal_size").value_or(std::int64_t{64} << 20);
  result.first = level(session, "tlb.l1");
  for (const char* prefix : {"tlb.l2", "tlb.l3"}) {
    if (const auto next = level(session, prefix)) result.last = next;
  }
  result.window = session.fact<std::int64_t>("page_window.size");
  const auto free = session.fact<std::int64_t>("dram.free").value_or(modest);
  const auto& last = result.last ? result.last : result.first;
  const std::int64_t useful = last ? 2 * last->entries * last->span : modest;
  const std::int64_t windowed = std::max(useful, 8 * result.window.value_or(0));
  result.memory = std::min(free - free / 16 - 4 * result.l2_bytes, windowed + 2 * chase::array_alignment);
  result.memory = std::max(result.memory, 8 * chase::array_alignment) / chase::array_alignment * chase::array_alignment;
  return result;
}

}  // namespace

void publish(const Session& session, const Known& known, const Samples& samples) {
  std::vector<NamedArray> columns;
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    columns.push_back({std::string(patterns[i].name) + "_cycles", samples[i]});
  }
  session.evidence(evidence, columns);
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    const std::string key = std::string("memory_spectrum.") + patterns[i].name;
    if (samples[i].empty()) {
      session.absent(key, why_not(i, known));
      continue;
    }
    Json conditions = distribution(samples[i]);
    conditions["data_cache"] = std::string("L2 ") + patterns[i].data_cache;
    conditions["first_tlb"] = patterns[i].first_tlb;
    conditions["other_tlbs"] = patterns[i].other_tlbs;
    conditions["path"] = "global.cg";
    session.publish(median_fact(key, samples[i], conditions));
  }
  publish_dram(session, samples[3]);
}

void find_spectrum(const Session& session) {
  const Known facts = known(session);
  std::vector<Chase> chases;
  std::vector<chase::Program> programs;
  for (std::int64_t trial = 0; trial < trials; ++trial) {
    chases.push_back(build(facts, trial));
    programs.push_back(chases.back().program);
  }
  const auto results = session.execute(programs);
  Samples samples;
  for (std::size_t trial = 0; trial < results.size(); ++trial) {
    for (std::size_t i = 0; i < patterns.size(); ++i) {
      if (!chases[trial].trace[i]) continue;
      const auto& trace = results[trial].traces.at(*chases[trial].trace[i]);
      const auto net = analysis::net_latencies(trace.latency, results[trial].overhead_each);
      samples[i].insert(samples[i].end(), net.begin(), net.end());
    }
  }
  publish(session, facts, samples);
}

}  // namespace tomograph::memory_spectrum
