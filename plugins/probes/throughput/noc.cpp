#include <algorithm>
#include <cmath>
#include <numeric>

#include "level.hpp"
#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::throughput {

namespace {

constexpr const char* total_key = "noc.bandwidth";
constexpr const char* groups_key = "noc.bandwidth_by_group";
constexpr const char* sm_key = "noc.bandwidth_per_sm";
constexpr const char* curve_key = "noc.bandwidth_by_sms";

constexpr std::int64_t looks = 5;
constexpr std::int64_t passes = 24;
constexpr double interval_coverage = 0.9;
/// Of what its SMs would draw alone, and of what all SMs draw together, a group with a way of its own to L2 draws less
/// than this.
constexpr double bound_by_group = 0.9;
using Sms = std::vector<std::int64_t>;

/// Bytes per cycle of SMs that draw at the same time, in each look: the sum of their rates, each over its own time.
/// SMs that are done sooner leave the others no more than these had before, if each group has a way of its own.
struct Drawn {
  Sms sms = {};
  std::vector<double> looks = {};
  double clock_hz = 0;

  [[nodiscard]] double rate() const { return analysis::median(looks); }
};

double sum_of_rates(const streaming::Result& result) {
  const auto rates = result.bytes_per_cycle();
  return std::accumulate(rates.begin(), rates.end(), 0.0);
}

/// Loads that keep an SM's own way busy, whatever the latency, in two shapes.
std::vector<streaming::Program> shapes(std::int64_t bytes_per_sm, const Room& bounds) {
  std::vector<streaming::Program> programs;
  for (const std::int64_t threads : {256, 512}) {
    programs.push_back(
        {.ilp = 4,
         .threads = threads,
         .ctas_per_sm = std::max<std::int64_t>(std::min<std::int64_t>(bounds.threads_per_sm, 1024) / threads, 1),
         .bytes = bytes_per_sm,
         .deal = streaming::Deal::sliced,
         .warm_passes = 2,
         .passes = passes});
  }
  return programs;
}

/// What each of `sets` draws, by the better shape.
std::vector<Drawn> draw(const Execute& execute, const std::vector<Sms>& sets, std::int64_t bytes_per_sm,
                        const Room& bounds) {
  const auto programs = shapes(bytes_per_sm, bounds);
  std::vector<streaming::Program> batch;
  for (std::int64_t look = 0; look < looks; ++look) {
    for (const Sms& sms : sets) {
      for (streaming::Program program : programs) {
        program.bytes *= static_cast<std::int64_t>(sms.size());
        program.sms = sms;
        program.trial = look;
        batch.push_back(std::move(program));
      }
    }
  }
  const auto results = execute(batch);
  std::vector<Drawn> drawn;
  for (std::size_t set = 0; set < sets.size(); ++set) {
    Drawn best;
    for (std::size_t shape = 0; shape < programs.size(); ++shape) {
      Drawn one{.sms = sets[set]};
      for (std::size_t i = set * programs.size() + shape; i < results.size(); i += sets.size() * programs.size()) {
        one.looks.push_back(sum_of_rates(results[i]));
        one.clock_hz = results[i].clock_hz;
      }
      if (best.looks.empty() || one.rate() > best.rate()) best = std::move(one);
    }
    drawn.push_back(std::move(best));
  }
  return drawn;
}

Fact fact_of(const char* key, const Drawn& drawn, double unit) {
  const auto interval = analysis::median_interval(drawn.looks, interval_coverage);
  return {.key = key,
          .value = drawn.rate() * unit,
          .method = "streaming-by-sms",
          .confidence = interval.coverage,
          .interval = Interval{interval.low * unit, interval.high * unit},
          .samples = drawn.looks.size(),
          .evidence = curve_key};
}

/// One SM, two, and so on up to all of them; of many only 1, 2, 4, ... and all.
std::vector<Sms> rising(const Sms& sms) {
  constexpr std::size_t many = 32;
  std::vector<Sms> sets;
  for (std::size_t count = 1; count<sms.size(); count = sms.size()> many ? 2 * count : count + 1) {
    sets.emplace_back(sms.begin(), sms.begin() + static_cast<std::ptrdiff_t>(count));
  }
  sets.push_back(sms);
  return sets;
}

void publish_curve(const Session& session, const std::vector<Drawn>& curve) {
  std::vector<double> sms;
  std::vector<double> rates;
  for (const Drawn& drawn : curve) {
    sms.push_back(static_cast<double>(drawn.sms.size()));
    rates.push_back(drawn.rate());
  }
  session.evidence(curve_key, std::vector{column("sms", sms), column("bytes_per_cycle", rates)});
}

void publish_groups(const Session& session, const std::vector<Drawn>& alone) {
  Json pairs = Json::array();
  double coverage = 1;
  for (const Drawn& drawn : alone) {
    pairs.push_back({drawn.sms.size(), drawn.rate()});
    coverage = std::min(coverage, analysis::median_interval(drawn.looks, interval_coverage).coverage);
  }
  session.publish({.key = groups_key,
                   .value = pairs,
                   .method = "streaming-by-sms",
                   .confidence = coverage,
                   .samples = alone.size() * static_cast<std::size_t>(looks),
                   .conditions = {{"pairs", "SMs of a group, bytes per cycle that they draw while the others idle"}},
                   .evidence = curve_key});
}

/// The whole device: the sum of what the ways of all groups let through, each alone, so that L2 itself limits none.
void publish_total(const Session& session, const std::vector<Drawn>& alone, const Drawn& one, const Drawn& all) {
  Drawn sum{.looks = std::vector<double>(static_cast<std::size_t>(looks)), .clock_hz = one.clock_hz};
  for (const Drawn& drawn : alone) {
    if (drawn.rate() >= bound_by_group * static_cast<double>(drawn.sms.size()) * one.rate()) {
      return session.inconclusive(total_key,
                                  "the SMs of a group draw as much together as each of them alone: what limits all "
                                  "SMs lies behind the groups, and may be L2 itself");
    }
    if (drawn.rate() >= bound_by_group * all.rate()) {
      return session.inconclusive(total_key,
                                  "a group draws as much as all SMs together: L2 itself may be what limits it");
    }
    for (std::size_t look = 0; look < sum.looks.size(); ++look) sum.looks[look] += drawn.looks[look];
  }
  Fact fact = fact_of(total_key, sum, sum.clock_hz);
  fact.conditions = {{"groups", alone.size()},
                     {"all at the same time", std::round(all.rate() * all.clock_hz)},
                     {"sm_clock_mhz", std::round(sum.clock_hz / 1e6)}};
  session.publish(fact);
}

}  // namespace

void find_noc(const Session& session) {
  const auto l2 = l2_bytes(session);
  if (!l2) throw Skip("device", "the size of L2 is not known");
  const Room bounds = room(session);
  const Execute execute = executor(session);
  const auto groups = session.fact<std::vector<Sms>>("constant_l15.sm_groups");
  Sms everyone(static_cast<std::size_t>(bounds.sms));
  std::iota(everyone.begin(), everyone.end(), std::int64_t{0});
  // A third of L2 for all: room for the copies that partitions keep, and for a policy that is not LRU.
  const std::int64_t bytes_per_sm = *l2 / 3 / bounds.sms;
  const Sms& largest = groups && !groups->empty() ? *std::ranges::max_element(*groups, {}, &Sms::size) : everyone;
  const auto curve = draw(execute, rising(largest), bytes_per_sm, bounds);
  publish_curve(session, curve);
  session.publish(fact_of(sm_key, curve.front(), 1));
  if (!groups || groups->size() < 2 || largest.size() < 2) {
    constexpr const char* unknown = "which SMs share a way to L2 is not known: no groups of SMs share a constant cache";
    session.inconclusive(groups_key, unknown);
    return session.inconclusive(total_key, unknown);
  }
  auto sets = *groups;
  sets.push_back(everyone);
  auto alone = draw(execute, sets, bytes_per_sm, bounds);
  const Drawn all = alone.back();
  alone.pop_back();
  publish_groups(session, alone);
  publish_total(session, alone, curve.front(), all);
}

}  // namespace tomograph::throughput
