#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <stdexcept>

#include "acquire_chase.hpp"
#include "analysis_samples.hpp"
#include "catch.hpp"
#include "sim/simulator.hpp"

namespace {

using namespace tomograph;
using namespace tomograph::memory_spectrum;

constexpr std::int64_t mebibyte = std::int64_t{1} << 20;
constexpr std::int64_t l2 = 200;
constexpr std::int64_t dram = 500;
constexpr std::int64_t trials = 3;

/// A quiet GPU of one partition: all loads of a pattern take equally long.
sim::Gpu gpu_with(std::vector<sim::Tlb> tlb) {
  sim::Gpu gpu;
  gpu.sm_count = 4;
  gpu.l2.cache.line_size = gpu.l2.cache.sector_size = gpu.l2.cache.fetch_granularity = 128;
  gpu.l2.cache.set_ways.assign(1024, 16);
  gpu.l2.latency = gpu.l2.far_latency = l2;
  gpu.dram = {dram, dram, std::nullopt};
  gpu.translation.tlb = std::move(tlb);
  return gpu;
}

Known known_of(const sim::Gpu& gpu, std::int64_t memory) {
  Known known{.line = 128, .l2_bytes = 2 * mebibyte, .memory = memory, .sm_count = gpu.sm_count};
  for (const sim::Tlb& level : gpu.translation.tlb) {
    known.tlb.push_back({level.entries.lines(), level.entries.line_size, static_cast<double>(level.penalty)});
  }
  if (gpu.translation.page_window) known.window = gpu.translation.page_window->size;
  return known;
}

Samples measured(const sim::Gpu& gpu, const Known& known) {
  sim::Simulator simulator(gpu, {.noise = false}, 1);
  Samples samples;
  for (std::int64_t trial = 0; trial < trials; ++trial) {
    const Chase chase = build(known, trial, trials);
    const std::vector batch{chase::encode(chase.program)};
    const Answer answer = simulator.execute(batch).front();
    if (answer.status != TOMOGRAPH_OK) throw std::runtime_error(answer.reason);
    add(samples, chase, chase::decode_result(chase.program, answer));
  }
  return samples;
}

/// The latencies that occur, each once.
std::set<double> all_of(const Sample& sample) { return {sample.cycles.begin(), sample.cycles.end()}; }

/// Share of loads that take exactly so long.
double share_of(const Sample& sample, double cycles) {
  return static_cast<double>(std::ranges::count(sample.cycles, cycles)) / static_cast<double>(sample.cycles.size());
}

/// Nodes of the first loads of P4 in pages that their actor has not visited before.
std::size_t unvisited(const Chase& chase, std::int64_t page) {
  std::size_t trace = 0;
  std::size_t found = 0;
  std::map<std::int64_t, std::set<std::int64_t>> visited;  // by actor
  for (const chase::Phase& phase : chase.program.phases) {
    const auto nodes = chase::node_offsets(chase.program.rings[static_cast<std::size_t>(phase.ring)]);
    auto& pages = visited[phase.actor];
    const bool is_timed = phase.timing == chase::Timing::each;
    for (const std::int64_t node : nodes) {
      const bool is_first_of_p4 = is_timed && trace == chase.phases[p4].front().trace;
      found += is_first_of_p4 && !pages.contains(node / page) ? 1 : 0;
    }
    trace += is_timed ? 1 : 0;
    for (const std::int64_t node : nodes) pages.insert(node / page);
  }
  return found;
}

/// Hits of 200 cycles and misses, both with jitter, after hits were taken out of the misses.
Samples noisy(double sigma, double miss) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> jitter(0, 1);
  Samples samples;
  for (int load = 0; load < 2048; ++load) {
    samples[0].push_back({200 + 20 * jitter(random), load % 16, 0});
    samples[3].push_back({miss + sigma * jitter(random), load % 16, 0});
  }
  remove_hits(samples);
  return samples;
}

/// Loads of memory, half of them far, by as many SMs as there are means; some wait for it to be refreshed.
Latency visits(const std::vector<double>& means) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> jitter(0, 15);
  Samples samples;
  for (std::size_t sm = 0; sm < means.size(); ++sm) {
    for (int load = 0; load < 128; ++load) {
      const double way = means[sm] + (random() % 2 == 0 ? 0 : 180);
      const double wait = random() % 16 == 0 ? static_cast<double>(random() % 500) : 0;
      samples[0].push_back({200 + jitter(random), static_cast<std::int64_t>(sm), 0});
      samples[3].push_back({way + wait + jitter(random), static_cast<std::int64_t>(sm), 0});
    }
  }
  return latency_of(samples, 3);
}

}  // namespace

TEST_CASE("each pattern takes what the data cache and the TLBs that it misses add up to") {
  const sim::Gpu gpu =
      gpu_with({sim::tlb(2 * mebibyte, {16}, 10), sim::tlb(4 * mebibyte, {8, 8, 8, 8, 8, 8, 8, 8}, 90)});
  const Samples samples = measured(gpu, known_of(gpu, 1024 * mebibyte));
  CHECK(all_of(samples[0]) == std::set<double>{l2});
  CHECK(all_of(samples[1]) == std::set<double>{l2 + 10});
  CHECK(all_of(samples[2]) == std::set<double>{l2 + 10 + 90});
  CHECK(all_of(samples[3]) == std::set<double>{dram});
  CHECK(all_of(samples[4]) == std::set<double>{dram + 10 + 90});
  CHECK(samples[5].cycles.empty());
  for (std::size_t i = 0; i < 5; ++i) CHECK(samples[i].cycles.size() > 150);
}

TEST_CASE("the change of the page-table window is seen in pattern P6 alone") {
  sim::Gpu gpu = gpu_with({sim::tlb(2 * mebibyte, {16}, 40), sim::tlb(2 * mebibyte, {17, 8, 8, 8, 8, 8, 8}, 150)});
  gpu.translation.page_window = {.size = 512 * mebibyte, .penalty = 2000};
  const Samples samples = measured(gpu, known_of(gpu, 4096 * mebibyte));
  CHECK(all_of(samples[5]) == std::set<double>{dram + 40 + 150 + 2000});
  CHECK(samples[5].cycles.size() > 1000);
  // The array may begin anywhere in a window, so that its end may lie among the pages that are visited by address.
  CHECK(share_of(samples[4], dram + 40 + 150) > 0.98);
  CHECK(share_of(samples[2], l2 + 40 + 150) > 0.95);
  CHECK(all_of(samples[3]) == std::set<double>{dram});
}

TEST_CASE("the patterns past all caches and TLBs meet each page for the first time, those before have met it") {
  sim::Gpu gpu = gpu_with({sim::tlb(2 * mebibyte, {16}, 40), sim::tlb(2 * mebibyte, {17, 8, 8, 8, 8, 8, 8}, 150)});
  gpu.translation.first_walk_penalty = 300;
  gpu.translation.page_window = {.size = 512 * mebibyte, .penalty = 2000};
  const Samples samples = measured(gpu, known_of(gpu, 4096 * mebibyte));
  CHECK(all_of(samples[1]) == std::set<double>{l2 + 40});
  CHECK(all_of(samples[5]) == std::set<double>{dram + 40 + 150 + 300 + 2000});
  CHECK(share_of(samples[4], dram + 40 + 150 + 300) > 0.98);
  CHECK(share_of(samples[2], l2 + 40 + 150) > 0.95);
}

TEST_CASE("a first TLB that does not hold the pages of P1 shows in the pairs of its loads") {
  const sim::Gpu gpu = gpu_with({sim::tlb(2 * mebibyte, {16}, 20)});
  Known known = known_of(gpu, 1024 * mebibyte);
  CHECK(translation_in_p1(measured(gpu, known)) == 0);
  known.tlb.front().span = 64 * mebibyte;
  const double cycles = translation_in_p1(measured(gpu, known));
  CHECK(cycles > 5);
  CHECK(cycles <= 20);
}

TEST_CASE("where no TLB is known, each small page that loads of memory lie in was visited before") {
  CHECK(unvisited(build(known_of(gpu_with({}), 1024 * mebibyte), 0, trials), mebibyte / 16) == 0);
}

TEST_CASE("each page that an entry of the first TLB holds was visited before the loads that it translates") {
  constexpr std::int64_t small_page = mebibyte / 16;
  Known known = known_of(gpu_with({}), 1024 * mebibyte);
  known.tlb = {{.entries = 64, .span = 4 * small_page, .penalty = 40}};
  CHECK(unvisited(build(known, 0, trials), small_page) == 0);
  known.tlb = {{.entries = 64, .span = 2 * mebibyte, .penalty = 40, .page = small_page}};
  CHECK(unvisited(build(known, 0, trials), small_page) == 0);
}

TEST_CASE("where the pages of an entry have few lines, there is no pattern that the first TLB translates") {
  Known known = known_of(gpu_with({}), 1024 * mebibyte);
  known.tlb = {{.entries = 64, .span = mebibyte / 16, .penalty = 40, .page = 4096}};
  known.line = 256;
  CHECK(build(known, 0, trials).phases[p4].empty());
}

TEST_CASE("with three levels of TLB the second pattern hits the second, the third misses all") {
  // The middle level has most entries, the last one the largest reach.
  const sim::Gpu gpu = gpu_with(
      {sim::tlb(2 * mebibyte, {16}, 10), sim::tlb(2 * mebibyte, {128}, 50), sim::tlb(32 * mebibyte, {64}, 120)});
  const Samples samples = measured(gpu, known_of(gpu, std::int64_t{16384} * mebibyte));
  CHECK(all_of(samples[1]) == std::set<double>{l2 + 10});
  CHECK(all_of(samples[2]) == std::set<double>{l2 + 10 + 50 + 120});
  CHECK(all_of(samples[4]) == std::set<double>{dram + 10 + 50 + 120});
}

TEST_CASE("where a TLB of random victims keeps pages that overflow it, only visits that missed it count") {
  sim::Gpu gpu = gpu_with({sim::tlb(2 * mebibyte, {16}, 40), sim::tlb(2 * mebibyte, {128}, 150)});
  for (sim::Tlb& level : gpu.translation.tlb) level.entries.replacement.policy = sim::Replacement::Policy::random;
  const Samples samples = measured(gpu, known_of(gpu, 1024 * mebibyte));
  CHECK(all_of(samples[0]) == std::set<double>{l2});
  CHECK(all_of(samples[1]) == std::set<double>{l2 + 40});
  CHECK(all_of(samples[2]) == std::set<double>{l2 + 40 + 150});
  CHECK(samples[2].others > 0);
  CHECK(share_of(samples[4], dram + 40 + 150) > 0.98);
}

TEST_CASE("visits that miss all TLBs are none as long as a level is not known") {
  const sim::Gpu gpu = gpu_with({sim::tlb(2 * mebibyte, {16}, 40), sim::tlb(2 * mebibyte, {128}, 150)});
  Known known = known_of(gpu, 1024 * mebibyte);
  known.tlb.pop_back();
  known.every_tlb = false;
  const Samples samples = measured(gpu, known);
  CHECK(all_of(samples[0]) == std::set<double>{l2});
  for (const std::size_t pattern : {1U, 2U, 4U, 5U}) CHECK(samples[pattern].cycles.empty());
}

TEST_CASE("a pair's difference is one of its pattern up to half of the way to another") {
  const Penalties penalties{.tlb = {40, 150}, .window = 1000, .l2 = 300};
  CHECK(differences_of(0, penalties).contain(-5));
  CHECK_FALSE(differences_of(0, penalties).contain(160));
  CHECK(differences_of(1, penalties).contain(30));
  for (const double other : {10.0, 120.0}) CHECK_FALSE(differences_of(1, penalties).contain(other));
  CHECK(differences_of(2, penalties).contain(200));
  for (const double other : {100.0, 350.0}) CHECK_FALSE(differences_of(2, penalties).contain(other));
  CHECK(differences_of(2, {.tlb = {40, 150}}).contain(1000));
}

TEST_CASE("the flush loads several times as many lines as L2 has, however short they are") {
  for (const std::int64_t line : {32, 64, 128, 256}) {
    const Known known{.line = line, .l2_bytes = mebibyte};
    CHECK(flush_bytes(known) / std::max<std::int64_t>(line, 160) >= 4 * mebibyte / line);
  }
}

TEST_CASE("a single level of TLB is all levels, and no second one is hit") {
  const sim::Gpu gpu = gpu_with({sim::tlb(2 * mebibyte, {16}, 25)});
  const Samples samples = measured(gpu, known_of(gpu, 512 * mebibyte));
  CHECK(samples[1].cycles.empty());
  CHECK(all_of(samples[2]) == std::set<double>{l2 + 25});
  CHECK(all_of(samples[4]) == std::set<double>{dram + 25});
}

TEST_CASE("where memory holds an eighth more pages than the TLBs, short programs add first visits from all SMs") {
  const sim::Gpu gpu =
      gpu_with({sim::tlb(2 * mebibyte, {16}, 25), sim::tlb(2 * mebibyte, std::vector<std::int64_t>(16, 8), 90)});
  const Known known = known_of(gpu, (128 + 128 / 8 + 24) * 2 * mebibyte);
  sim::Simulator simulator(gpu, {.noise = false}, 1);
  Samples samples;
  for (std::int64_t trial = trials; trial < trials + 4; ++trial) {
    const auto visits = build_first_visits(known, trial, trials);
    REQUIRE(visits);
    add(samples, *visits,
        chase::decode_result(visits->program, simulator.execute({{chase::encode(visits->program)}}).front()));
  }
  CHECK(samples[4].cycles.size() >= 4 * 8);
  CHECK(all_of(samples[4]) == std::set<double>{dram + 25 + 90});
  CHECK(std::set(samples[4].sm.begin(), samples[4].sm.end()).size() == 4);
  CHECK(samples[3].cycles.empty());
  CHECK_FALSE(build_first_visits(known_of(gpu_with({}), 64 * mebibyte), 3, trials));
}

TEST_CASE("without TLBs, or with too little memory to overflow them, hits and misses of the data cache are left") {
  const sim::Gpu without = gpu_with({});
  const sim::Gpu large = gpu_with({sim::tlb(2 * mebibyte, {16}, 10), sim::tlb(2 * mebibyte, {1024}, 90)});
  for (const sim::Gpu* gpu : {&without, &large}) {
    const Samples samples = measured(*gpu, known_of(*gpu, 512 * mebibyte));
    CHECK(all_of(samples[0]) == std::set<double>{l2});
    CHECK(all_of(samples[3]) == std::set<double>{dram});
    for (const std::size_t pattern : {2U, 4U, 5U}) CHECK(samples[pattern].cycles.empty());
  }
}

TEST_CASE("a spectrum of any TLBs and lines is a valid program whose records fit 48 KiB of shared memory") {
  for (const std::int64_t line : {32, 128, 256}) {
    for (const std::int64_t entries : {1, 16, 512}) {
      for (const std::int64_t span : {mebibyte / 16, 2 * mebibyte, 32 * mebibyte}) {
        const Known known{.line = line,
                          .l2_bytes = mebibyte,
                          .memory = std::int64_t{65536} * mebibyte,
                          .sm_count = 132,
                          .tlb = {{entries, span}, {8 * entries, 2 * span}},
                          .window = 1024 * mebibyte};
        CAPTURE(line, entries, span);
        const Chase chase = build(known, 2, trials);
        CHECK_FALSE(chase::violation(chase.program));
        std::map<std::int64_t, std::int64_t> timed;
        for (const chase::Phase& phase : chase.program.phases) {
          const auto sm = chase.program.actors[static_cast<std::size_t>(phase.actor)].sm;
          if (phase.timing == chase::Timing::each) timed[sm] += phase.loads;
        }
        CHECK(timed.size() == 16);
        for (const auto& [sm, loads] : timed) CHECK(loads * 8 < 47 * 1024);
      }
    }
  }
}

TEST_CASE("a first TLB that reaches few lines leaves a load or none to the patterns that it translates") {
  for (const std::int64_t span : {1024, 4096, 8192, 65536}) {
    const Known known{.line = 128,
                      .l2_bytes = mebibyte / 2,
                      .memory = std::int64_t{4096} * mebibyte,
                      .sm_count = 24,
                      .tlb = {{57, span}, {768, 65536}}};
    CAPTURE(span);
    const Chase chase = build(known, 1, trials);
    CHECK_FALSE(chase::violation(chase.program));
    CHECK(chase.phases.at(p4).empty() == (span < 8192));
  }
}

TEST_CASE("every SM of a small device takes part once, those of a large one change from trial to trial") {
  Known known{.line = 128, .l2_bytes = mebibyte, .memory = 64 * mebibyte, .sm_count = 3};
  const auto sms = [&](std::int64_t trial) {
    std::set<std::int64_t> numbers;
    const Chase chase = build(known, trial, trials);
    for (const TimedPhase& phase : chase.phases[0]) CHECK(numbers.insert(phase.sm).second);
    return numbers;
  };
  CHECK(sms(0) == std::set<std::int64_t>{0, 1, 2});
  known.sm_count = 132;
  CHECK(sms(0).size() == 16);
  CHECK(sms(0) != sms(1));
}

TEST_CASE("loads that find their line in the data cache after all are none of a miss") {
  Samples samples;
  for (int load = 0; load < 100; ++load) {
    samples[0].push_back({200, 0, 0});
    samples[3].push_back({static_cast<double>(load == 7 ? 205 : 500), load == 8 ? 1 : 0, 0});
  }
  samples[4].push_back({205, 0, 0});
  samples[4].push_back({600, 0, 0});
  remove_hits(samples);
  CHECK(samples[3].cycles == std::vector<double>(99, 500));
  CHECK(samples[3].sm[7] == 1);
  CHECK_FALSE(samples[3].overlaps_hits);
  // How long a hit takes that misses all TLBs was not seen.
  CHECK(samples[4].cycles.size() == 2);
}

TEST_CASE("a visit that finds near lines in the data cache is no sample of memory, the others are") {
  constexpr int sms = 16;
  constexpr int warm_sms = 7;
  std::mt19937_64 random(5);
  std::normal_distribution<double> jitter(0, 15);
  Samples samples;
  for (int load = 0; load < 128 * sms; ++load) {
    const int sm = load % sms;
    const bool is_far = random() % 2 == 0;
    samples[2].push_back({300 + jitter(random), sm, 0});
    const bool is_found = sm < warm_sms && random() % 2 == 0;
    const double past_cache = is_found ? 0 : 300;
    samples[4].push_back({300 + (is_far ? 180 : 0) + past_cache + jitter(random), sm, 0});
  }
  remove_hits(samples);
  CHECK(std::ranges::all_of(samples[4].sm, [](std::int64_t sm) { return sm >= warm_sms; }));
  const Latency found = latency_of(samples, 4);
  CHECK(found.loads.mean == Approx(690).epsilon(0.01));
  CHECK(found.is_steady());
}

TEST_CASE("near and far hits that make one mode do not hide misses that take little longer") {
  std::mt19937_64 random(5);
  std::normal_distribution<double> jitter(0, 5);
  Samples samples;
  for (int load = 0; load < 1024; ++load) {
    // Far hits are a few more than half, so that the median of the mode is one of them.
    const double way = load % 16 < 9 ? 74 : 0;
    samples[2].push_back({570 + way + jitter(random), load % 4, 0});
    samples[4].push_back({750 + way + jitter(random), load % 4, 0});
  }
  remove_hits(samples);
  CHECK(samples[4].cycles.size() == 1024);
  CHECK(samples[4].others == 0);
}

TEST_CASE("loads that are taken for hits count among those that a pattern was not made for") {
  Samples samples;
  for (int load = 0; load < 100; ++load) {
    samples[0].push_back({200, 0, 0});
    samples[3].push_back({static_cast<double>(load < 9 ? 205 : 500), 0, 0});
  }
  remove_hits(samples);
  CHECK(samples[3].cycles.size() == 91);
  CHECK(samples[3].others == 9);
}

TEST_CASE("misses that noise spreads over the hits are not cut off, they are in doubt") {
  CHECK_FALSE(noisy(20, 500).at(3).overlaps_hits);
  // One load in twenty is among the hits, without which the mean would be 2 % too high.
  CHECK(noisy(150, 500).at(3).overlaps_hits);
}

TEST_CASE("an SM clock that steps in mid-run shows, as long as it is not elsewhere all the time") {
  CHECK(visits({500, 500, 500, 500, 500, 500, 500, 500}).is_steady());
  CHECK_FALSE(visits({500, 500, 440, 500, 500, 500, 500, 440}).is_steady());
  CHECK_FALSE(visits({500, 440, 440, 440, 440, 440, 440, 440}).is_steady());
  // Less than the mean may be off all the same.
  CHECK(visits({500, 500, 501, 500, 500, 500, 500, 501}).is_steady());
}

TEST_CASE("what visits differ by more than chance widens the interval of their mean") {
  const Latency same = visits({500, 500, 500, 500, 500, 500, 500, 500});
  const Latency differing = visits({500, 520, 480, 500, 515, 485, 500, 500});
  CHECK(differing.visits.deviation == Approx(12).margin(3));
  CHECK(differing.visit_error == Approx(differing.visits.deviation / std::sqrt(8.0)));
  CHECK(differing.reach(0) > same.reach(0) + 6);
}

TEST_CASE(
    "how long a pattern is looked at counts from its first timed load to the last, whatever is walked in between") {
  Chase chase;
  const auto phase = [&](chase::Timing timing, std::int64_t loads) {
    chase.program.phases.push_back({.actor = 0, .ring = 0, .loads = loads, .timing = timing});
  };
  phase(chase::Timing::untimed, 1000);
  phase(chase::Timing::each, 10);
  phase(chase::Timing::each, 50);
  phase(chase::Timing::untimed, 200);
  phase(chase::Timing::each, 10);
  chase.phases[3] = {{0, 0}, {2, 1}};
  CHECK(timed_span(chase) == 270);
  chase.phases[4] = {{1, 0}};
  CHECK(timed_span(chase) == 50);
}

/// Distances with two loads each, four cycles apart.
std::vector<analysis::Distance> distances_at(std::initializer_list<double> means) {
  std::vector<analysis::Distance> distances;
  for (const double mean : means) {
    distances.push_back({.mean = mean, .error = 2, .first = mean - 8, .last = mean + 8, .loads = {mean - 2, mean + 2}});
  }
  return distances;
}

TEST_CASE("near and far memory lie on either side of the widest gap, with open rows and without") {
  const auto rows = near_and_far(distances_at({480, 512, 596, 636}));
  REQUIRE(rows);
  CHECK(rows->near.mean == Approx(496));
  CHECK(rows->far.mean == Approx(616));
  CHECK(rows->far.error > 5);  // both rows lie far from the mean
  const auto two = near_and_far(distances_at({480, 600}));
  REQUIRE(two);
  CHECK(two->near.error == 2);
  CHECK_FALSE(near_and_far(distances_at({480, 520, 560})));
  CHECK_FALSE(near_and_far(distances_at({480})));
}

TEST_CASE("SMs that lie far from what walks page tables make memory neither far nor late") {
  Samples samples;
  for (std::int64_t sm = 0; sm < 8; ++sm) {
    const double walk = sm == 7 ? 160 : 90;
    for (int load = 0; load < 128; ++load) {
      samples[2].push_back({290 + walk + load % 8, sm, 0});
      samples[4].push_back({(load % 2 == 0 ? 560 : 740) + walk + load % 8, sm, 0});
    }
  }
  const Latency hits = latency_of(samples, 2);
  CHECK(hits.loads.mean == Approx(290 + 90 + 70.0 / 8 + 3.5).margin(0.1));
  CHECK(hits.loads.late.empty());
  CHECK(hits.hits_by_sm.back() == Approx(453.5).margin(0.1));
  CHECK(hits.error(0) == Approx(70.0 / 8).epsilon(0.01));
  const Latency misses = latency_of(samples, 4);
  CHECK(misses.loads.late.empty());
  CHECK(misses.loads.distances.size() == 2);
  CHECK(misses.loads.mean == Approx(650 + 90 + 70.0 / 8 + 3.5).margin(0.1));
  CHECK(misses.is_steady());
}
