#include <algorithm>
#include <cmath>
#include <numeric>

#include "level.hpp"
#include "tomograph/analysis/confidence.hpp"
#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::throughput {

namespace {

constexpr const char* total_key = "noc.bandwidth";
constexpr const char* groups_key = "noc.bandwidth_by_group";
constexpr const char* sm_key = "noc.bandwidth_per_sm";
constexpr const char* curve_key = "noc.bandwidth_by_sms";

/// At each shape, of which the better one is then drawn with again: what decided does not count.
constexpr std::int64_t first_looks = 2;
/// At first, and at most: three times as many as long as they leave a figure open.
constexpr std::int64_t looks = 11;
constexpr std::int64_t most_looks = 297;
constexpr std::int64_t more_looks = 3;
constexpr std::int64_t passes = 24;
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
         .distribution = streaming::Distribution::sliced,
         .warm_passes = 2,
         .passes = passes});
  }
  return programs;
}

/// SMs with the loads that they issue.
struct Load {
  Sms sms;
  streaming::Program program;
};

/// What each of `loads` draws, `count` times, one after the other and again.
std::vector<Drawn> draw(const Execute& execute, const std::vector<Load>& loads, std::int64_t first_trial,
                        std::int64_t count) {
  std::vector<streaming::Program> batch;
  for (std::int64_t look = 0; look < count; ++look) {
    for (const Load& load : loads) {
      batch.push_back(load.program);
      batch.back().trial = first_trial + look;
    }
  }
  const auto results = execute(batch);
  std::vector<Drawn> drawn;
  for (std::size_t i = 0; i < loads.size(); ++i) {
    Drawn one{.sms = loads[i].sms};
    for (std::size_t k = i; k < results.size(); k += loads.size()) {
      one.looks.push_back(sum_of_rates(results[k]));
      one.clock_hz = results[k].clock_hz;
    }
    drawn.push_back(std::move(one));
  }
  return drawn;
}

/// Each of `sets` with its better shape, as a few looks tell.
std::vector<Load> choose(const Execute& execute, const std::vector<Sms>& sets, std::int64_t bytes_per_sm,
                         const Room& bounds) {
  std::vector<Load> loads;
  for (const Sms& sms : sets) {
    for (streaming::Program program : shapes(bytes_per_sm, bounds)) {
      program.bytes *= static_cast<std::int64_t>(sms.size());
      program.sms = sms;
      loads.push_back({sms, std::move(program)});
    }
  }
  const auto drawn = draw(execute, loads, 0, first_looks);
  const std::size_t of_a_set = loads.size() / sets.size();
  std::vector<Load> chosen;
  for (std::size_t set = 0; set < sets.size(); ++set) {
    const auto begin = drawn.begin() + static_cast<std::ptrdiff_t>(set * of_a_set);
    const auto best = std::max_element(begin, begin + static_cast<std::ptrdiff_t>(of_a_set),
                                       [](const Drawn& a, const Drawn& b) { return a.rate() < b.rate(); });
    chosen.push_back(std::move(loads[static_cast<std::size_t>(best - drawn.begin())]));
  }
  return chosen;
}

/// What each of `loads` draws, all as often as the one that scatters most asks for.
std::vector<Drawn> draw_until_known(const Execute& execute, const std::vector<Load>& loads) {
  auto drawn = draw(execute, loads, first_looks, looks);
  const auto is_open = [](const Drawn& one) { return openness(one.looks) > useful_openness / 2; };
  while (std::ranges::any_of(drawn, is_open)) {
    const auto count = static_cast<std::int64_t>(drawn.front().looks.size());
    if (count * more_looks > most_looks) break;
    const auto more = draw(execute, loads, first_looks + count, count * (more_looks - 1));
    for (std::size_t i = 0; i < drawn.size(); ++i) {
      drawn[i].looks.insert(drawn[i].looks.end(), more[i].looks.begin(), more[i].looks.end());
    }
  }
  return drawn;
}

Fact fact_of(const char* key, const Drawn& drawn, double unit) {
  const auto interval = analysis::median_interval(drawn.looks, confidence::throughput::interval);
  return {.key = key,
          .value = drawn.rate() * unit,
          .method = "streaming-by-sms",
          .confidence = interval.coverage - systematic_error,
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
  Value pairs = Value::list();
  double doubt = systematic_error;  // that one of the intervals does not cover, or what holds for all
  for (const Drawn& drawn : alone) {
    if (openness(drawn.looks) > useful_openness)
      return session.inconclusive(groups_key, "repetitions scatter too much");
    pairs.push_back(Value::list(drawn.sms.size(), drawn.rate()));
    doubt += 1 - analysis::median_interval(drawn.looks, confidence::throughput::interval).coverage;
  }
  session.publish({.key = groups_key,
                   .value = pairs,
                   .method = "streaming-by-sms",
                   .confidence = 1 - doubt,
                   .samples = alone.size() * alone.front().looks.size(),
                   .conditions = {{"pairs", "SMs of a group, bytes per cycle that they draw while the others idle"}},
                   .evidence = curve_key});
}

/// The whole device: the sum of what the ways of all groups let through, each alone, so that L2 itself limits none.
void publish_total(const Session& session, const std::vector<Drawn>& alone, const Drawn& one, const Drawn& all) {
  Drawn sum{.looks = std::vector<double>(alone.front().looks.size()), .clock_hz = one.clock_hz};
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
  publish_figure(session, fact);
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
  publish_curve(session, draw(execute, choose(execute, rising(largest), bytes_per_sm, bounds), first_looks, 1));
  std::vector<Sms> sets{{largest.front()}};
  const bool is_grouped = groups && groups->size() > 1 && largest.size() > 1;
  if (is_grouped) {
    sets.insert(sets.end(), groups->begin(), groups->end());
    sets.push_back(everyone);
  }
  auto alone = draw_until_known(execute, choose(execute, sets, bytes_per_sm, bounds));
  const Drawn one = alone.front();
  publish_figure(session, fact_of(sm_key, one, 1));
  if (!is_grouped) {
    constexpr const char* unknown = "which SMs share a way to L2 is not known: no groups of SMs share a constant cache";
    session.inconclusive(groups_key, unknown);
    return session.inconclusive(total_key, unknown);
  }
  const Drawn all = alone.back();
  alone.pop_back();
  alone.erase(alone.begin());
  publish_groups(session, alone);
  publish_total(session, alone, one, all);
}

}  // namespace tomograph::throughput
