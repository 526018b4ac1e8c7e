#include "tomograph/cache/hit_and_miss.hpp"

#include <algorithm>
#include <array>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "level_between.hpp"
#include "tomograph/analysis/clock_step.hpp"
#include "tomograph/analysis/delays.hpp"
#include "tomograph/analysis/latency_modes.hpp"
#include "tomograph/analysis/robust_statistics.hpp"
#include "tomograph/analysis/scatter.hpp"

namespace tomograph::cache {

namespace {

/// Of the overhead of a total, in cycles of each of its loads. Chosen by hand.
constexpr double overhead_error = 0.5;

constexpr std::int64_t warp_threads = 32;     // of every known GPU
constexpr std::int64_t spacing = 128;         // nodes of a small footprint; any line size will do
constexpr std::int64_t lines_of_page = 1024;  // that each SM loads: a deviation of 32 cycles leaves an error of 1

/// Each line twice in a row, at other slots than its own: so it stays under policies that let new lines leave first.
chase::Ring twice_each(const chase::Ring& ring) {
  chase::Ring twice{.array = ring.array};
  for (const std::int64_t node : chase::node_offsets(ring)) {
    for (const std::int64_t slot : {1, 2}) twice.nodes.push_back(node + slot * sample_offset);
  }
  return twice;
}

/// Walks the lines of the ring, then times it in total and some loads of it one by one.
chase::Program hit_program(const Subject& subject, std::int64_t sm, std::int64_t trial, const chase::Ring& ring) {
  Subject here = subject;
  here.sm = sm;
  chase::Program program = program_for(here, page_bytes);
  program.alone = false;
  program.trial = trial;
  add_ring(program, ring);
  const std::int64_t warming = add_ring(program, twice_each(ring));
  program.phases = {{0, warming, 0, 2 * program.rings.back().size(), chase::Timing::untimed},
                    {0, 0, 0, total_loads, chase::Timing::total},
                    {0, 0, 0, small_footprint / spacing, chase::Timing::each}};
  return program;
}

/// Programs on a small footprint, in another part of the page in each trial. At most 100 trials.
std::vector<chase::Program> hit_programs(const Subject& subject, std::int64_t sm_count, std::int64_t trials,
                                         std::int64_t nodes) {
  std::vector<chase::Program> programs;
  for (std::int64_t trial = 0; trial < trials; ++trial) {
    const chase::Ring ring{0, trial * small_footprint * 5, spacing, nodes};
    for (std::int64_t sm = 0; sm < sm_count; ++sm) programs.push_back(hit_program(subject, sm, trial, ring));
  }
  return programs;
}

/// The distance of a line depends on its slice of the cache, and other SMs that load at the same time add a few per
/// cent. So each SM alone times lines all over a page, and its latency is their mean. They ascend, so that a TLB of
/// small pages misses seldom. A small cache holds fewer lines at a time, so each SM times other parts of the page in
/// several trials. A part is at most half as large as the cache, so that its lines meet in few sets even of one way.
std::vector<chase::Program> lone_hit_programs(const Subject& subject, std::int64_t flush_bytes, std::int64_t sm_count) {
  // An eighth of one of four partitions of the cache, of which the flush is four times as large, at random places: an
  // index that hashes puts many lines at equal distances into few sets.
  constexpr std::int64_t parts = std::int64_t{4} * 4 * 8;
  const std::int64_t lines =
      std::clamp<std::int64_t>(flush_bytes / parts / spacing, small_footprint / spacing, lines_of_page);
  std::vector<chase::Program> programs;
  const std::int64_t trials = lines_of_page / lines;
  const std::int64_t places_of_part = page_bytes / spacing / trials;
  for (std::int64_t trial = 0; trial < trials; ++trial) {
    auto places = random_choice(places_of_part, lines, static_cast<std::uint64_t>(trial + 1));
    std::ranges::sort(places);
    chase::Ring ring{.array = 0};
    for (const std::int64_t place : places) {
      // Other small lines of a place in each trial: the bits that choose them may also choose the slice.
      const std::int64_t small_line = (place + trial) % (spacing / smallest_line);
      ring.nodes.push_back((trial * places_of_part + place) * spacing + small_line * smallest_line);
    }
    for (std::int64_t sm = 0; sm < sm_count; ++sm) {
      chase::Program program = hit_program(subject, sm, trial, ring);
      program.alone = true;
      // A warp brings the lines: one thread would take twice as long as the loads that are timed.
      program.phases.front().actor = std::ssize(program.actors);
      program.actors.push_back({sm, subject.path, warp_threads});
      programs.push_back(std::move(program));
    }
  }
  return programs;
}

constexpr std::int64_t block_bytes = 4096;
constexpr std::int64_t most_first_load_pages = 16;  // 8192 blocks, twice as many as four SMs load

constexpr std::int64_t blocks_of_page = page_bytes / block_bytes;

/// Order of first loads. Downwards within each page, they never meet a line that a prefetch brought along with an
/// earlier one; but DRAM then finds more rows open than at random places (6 % faster; seen on an H200 only).
enum class LoadOrder { random, upwards, downwards };

/// The same blocks, downwards within each page; pages take turns as before.
std::vector<std::int64_t> downwards(const std::vector<std::int64_t>& chosen) {
  std::vector<std::vector<std::int64_t>> by_page(most_first_load_pages);
  for (const std::int64_t block : chosen) by_page[static_cast<std::size_t>(block / blocks_of_page)].push_back(block);
  for (auto& page : by_page) std::ranges::sort(page);
  std::vector<std::int64_t> order;
  for (const std::int64_t block : chosen) {
    auto& page = by_page[static_cast<std::size_t>(block / blocks_of_page)];
    order.push_back(page.back());
    page.pop_back();
  }
  return order;
}

/// The phases in which `actor` loads new lines of a ring and then the same ones again, a few at a time, so that even a
/// small cache still holds them. If there is a ring `beside`, its lines on the same pages come first, so that both
/// loads find a TLB in the same state.
void load_twice(chase::Program& program, std::int64_t actor, std::int64_t ring, std::int64_t loads,
                std::optional<std::int64_t> beside = std::nullopt) {
  constexpr std::int64_t at_a_time = 128;  // with the lines beside them at most 64 KiB: no known L2 is as small
  for (std::int64_t first = 0; first < loads; first += at_a_time) {
    const std::int64_t count = std::min(at_a_time, loads - first);
    if (beside) program.phases.push_back({actor, *beside, first, count, chase::Timing::untimed});
    for (int time = 0; time < 2; ++time) {
      program.phases.push_back({actor, ring, first, count, chase::Timing::each});
    }
  }
}

/// First loads after a flush, from a few SMs, since SMs and lines lie near and far, each with a second load of the same
/// line. One line of every other block of 4 KiB, so that no line is fetched along with another.
chase::Program miss_program(const Subject& subject, std::int64_t flush_bytes, std::span<const std::int64_t> sms,
                            std::int64_t trial, LoadOrder load_order) {
  constexpr std::int64_t most_loads = 1024;  // of an SM: if none of all 8192 is misread, the rate counts as 6e-5
  Subject here = subject;
  here.sm = sms.front();
  const std::int64_t pages =
      std::clamp<std::int64_t>((subject.largest - flush_bytes) / page_bytes, 1, most_first_load_pages);
  chase::Program program = program_for(here, pages * page_bytes);
  program.actors.clear();
  program.trial = trial;
  const auto count = static_cast<std::int64_t>(sms.size());
  const std::int64_t blocks = pages * blocks_of_page;
  const std::int64_t loads_of_sm = std::min(most_loads, blocks / 2 / count);
  auto order = random_choice(blocks, count * loads_of_sm, static_cast<std::uint64_t>(trial));
  if (load_order == LoadOrder::downwards) order = downwards(order);
  add_flush(program, here, flush_bytes);
  for (std::int64_t i = 0; i < count; ++i) {
    // New lines lie in the first halves of blocks, lines beside them in the second halves of others on the same page.
    constexpr std::int64_t half = block_bytes / 2;
    constexpr std::int64_t blocks_of_small_page = small_page_bytes / block_bytes;
    chase::Ring ring{.array = 0};
    chase::Ring beside{.array = 0};
    for (std::int64_t load = 0; load < loads_of_sm; ++load) {
      const std::int64_t number = order[static_cast<std::size_t>(i * loads_of_sm + load)];
      const std::int64_t offset = load * 5 % (half / spacing) * spacing;
      ring.nodes.push_back(number * block_bytes + offset);
      beside.nodes.push_back((number ^ (blocks_of_small_page / 2)) * block_bytes + half + offset);
    }
    const std::int64_t cold = add_ring(program, std::move(ring));
    const std::int64_t near = add_ring(program, std::move(beside));
    program.actors.push_back({sms[static_cast<std::size_t>(i)], subject.path, 1});
    load_twice(program, std::ssize(program.actors) - 1, cold, loads_of_sm, near);
  }
  return program;
}

std::vector<chase::Program> miss_programs(const Subject& subject, std::int64_t flush_bytes, std::int64_t sm_count,
                                          LoadOrder load_order) {
  // Eight SMs: if drawn at random, all of them lie in one of two partitions with a probability of 0.8 %.
  constexpr std::int64_t trials = 2;
  constexpr std::int64_t most_sms = 4;
  std::vector<chase::Program> programs;
  for (std::int64_t trial = 0; trial < trials; ++trial) {
    std::vector<std::int64_t> sms;
    const std::int64_t count = std::min(most_sms, sm_count);
    for (std::int64_t i = 0; i < count; ++i) sms.push_back((i * trials + trial) * sm_count / (count * trials));
    programs.push_back(miss_program(subject, flush_bytes, sms, trial, load_order));
  }
  return programs;
}

void keep_single_hits(HitAndMiss& seen, std::span<const chase::Result> results) {
  for (const chase::Result& result : results) {
    const auto hits = net(result);
    seen.hits.insert(seen.hits.end(), hits.begin(), hits.end());
    seen.overhead_each = result.overhead_each;
    seen.overhead_total = result.overhead_total;
  }
}

double mean_of_total(const chase::Result& result) {
  return (result.totals.front() - result.overhead_total) / static_cast<double>(total_loads);
}

/// A third pass of the programs whose totals differ between two by more than the error of their overhead: one of these
/// holds a delayed load. Where they agree, their mean stands for it.
std::vector<chase::Result> third_pass(const Executor& execute, std::span<const chase::Program> programs,
                                      std::span<const chase::Result> first, std::span<const chase::Result> second) {
  std::vector<chase::Result> third(second.begin(), second.end());
  std::vector<chase::Program> again;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    third[i].totals.front() = (first[i].totals.front() + second[i].totals.front()) / 2;
    if (std::abs(mean_of_total(first[i]) - mean_of_total(second[i])) <= overhead_error) continue;
    again.push_back(programs[i]);
    places.push_back(i);
  }
  if (again.empty()) return third;
  const auto results = execute(again);
  for (std::size_t i = 0; i < places.size(); ++i) third[places[i]] = results[i];
  return third;
}

/// The hits that take no more than twice the median: interrupts and the like delay the others. The median less the
/// overhead is negative where a step of the clock takes longer than loads.
std::vector<double> in_time(std::span<const double> hits) {
  std::vector<double> kept;
  const double median = analysis::median(hits);
  const double last = std::max(2 * median, median);
  std::ranges::copy_if(hits, std::back_inserter(kept), [&](double cycles) { return cycles <= last; });
  return kept;
}

/// Cycles that delays add to the mean hit.
double mean_delay(std::span<const double> hits) {
  // One in 50,000 loads is delayed on the worst of known GPUs: 3 of 8192 are once in 1,500 cases (Poisson).
  constexpr std::size_t several = 3;
  const std::vector<double> others = in_time(hits);
  if (hits.size() - others.size() < several) return 0;
  return analysis::trimmed_mean(hits, 0) - analysis::trimmed_mean(others, 0);
}

/// Whether totals are surely longer than single hits.
bool exceeds_overhead(std::span<const double> excess) {
  constexpr double surely = 3;  // standard errors: false alarm 1.3e-3 (one-sided normal)
  if (excess.size() < 2) return false;
  const double error = analysis::standard_deviation(excess) / std::sqrt(static_cast<double>(excess.size()));
  return analysis::trimmed_mean(excess, 0) > overhead_error + surely * error;
}

/// One delayed total of three passes does not move it.
double scatter_of_passes(std::span<const double> totals) { return analysis::median(totals) - std::ranges::min(totals); }

/// To the slowest quarter of several totals. Of three, where most are delayed, the two fastest may be so alike.
double scatter_of(std::vector<double> totals) {
  std::ranges::sort(totals);
  return totals[totals.size() * 3 / 4] - totals.front();
}

/// `passes` are repetitions of the same programs, several for each SM. A delayed load is in one total of one pass.
/// Without repetitions, all programs of an SM load lines at one distance.
void keep_totals(HitAndMiss& seen, std::span<const std::span<const chase::Result>> passes, std::int64_t sm_count) {
  seen.by_sm.resize(static_cast<std::size_t>(sm_count), {.passes = std::vector<double>(passes.size())});
  std::vector<std::vector<double>> alike(seen.by_sm.size());
  const std::size_t programs = passes.front().size();
  const auto trials = static_cast<double>(programs) / static_cast<double>(sm_count);
  for (std::size_t program = 0; program < programs; ++program) {
    const auto sm = static_cast<std::size_t>(passes.front()[program].sms.front());
    SmLatency& mine = seen.by_sm.at(sm);
    mine.sm = static_cast<std::int64_t>(sm);
    const chase::Result& result = passes.front()[program];
    seen.excess.push_back(mean_of_total(result) - analysis::trimmed_mean(in_time(net(result)), 0));
    std::vector<double> repeated;
    for (std::size_t pass = 0; pass < passes.size(); ++pass) {
      repeated.push_back(mean_of_total(passes[pass][program]));
      mine.passes[pass] += repeated.back() / trials;
    }
    mine.cycles += analysis::median(repeated) / trials;
    mine.scatter = std::max(mine.scatter, scatter_of_passes(repeated));
    alike[sm].push_back(repeated.front());
  }
  if (passes.size() > 1) return;
  for (std::size_t sm = 0; sm < alike.size(); ++sm) {
    seen.by_sm[sm].cycles = analysis::median(alike[sm]);
    seen.by_sm[sm].scatter = scatter_of(alike[sm]);
  }
}

void keep_misses(HitAndMiss& seen, std::span<const chase::Result> results) {
  for (const chase::Result& result : results) {
    for (std::size_t trace = 0; trace < result.traces.size(); ++trace) {
      auto& kept = trace % 2 == 0 ? seen.misses : seen.again;
      const auto latencies = net(result, trace);
      kept.insert(kept.end(), latencies.begin(), latencies.end());
    }
  }
}

/// What the second loads of lines in several pages say about hits: how those of one SM scatter (the 32 single hits lie
/// close to each other, perhaps at one distance), and how far their mean is from that of the lines in one page. These
/// are not any lines: their slice, or their partition, may depend on the page or on bits that they have in common.
void compare_lines(HitAndMiss& seen, std::span<const chase::Result> results) {
  double squares = 0;
  double degrees = 0;
  std::vector<double> differences;
  for (const chase::Result& result : results) {
    // The first actor flushed the cache. Of each chunk of loads there are two traces, of first and second loads.
    const std::size_t traces_of_sm = result.traces.size() / (result.sms.size() - 1);
    for (std::size_t trace = 1; trace < result.traces.size(); trace += 2) {
      auto hits = net(result, trace);
      std::erase_if(hits, [&](double cycles) { return cycles > seen.threshold->cycles; });
      if (hits.empty()) continue;
      const auto others = static_cast<double>(hits.size() - 1);
      const double deviation = analysis::standard_deviation(hits);
      squares += others * deviation * deviation;
      degrees += others;
      const auto sm = static_cast<std::size_t>(result.sms[1 + trace / traces_of_sm]);
      differences.push_back(analysis::trimmed_mean(hits, 0) - seen.by_sm.at(sm).cycles);
    }
  }
  if (degrees == 0) return;
  seen.line_deviation = std::sqrt(squares / degrees);
  seen.line_difference = std::abs(analysis::trimmed_mean(differences, 0));
}

/// Whether nearly all first loads missed.
bool mostly_misses(const HitAndMiss& seen) {
  constexpr double few = 0.05;  // as many as threshold_between accepts
  return seen.threshold && seen.threshold->false_hit < few;
}

/// Bounds of the differences between first and next loads.
struct Differences {
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
};

/// Differences of loads that both hit a TLB or both missed it. A miss adds as much to some of the next loads as, where
/// these hit, to some of the differences. No bounds unless two modes of either show that.
Differences without_tlb_misses(std::span<const double> next, std::span<const double> differences) {
  // Modes lie four deviations apart or more, and have some 80 loads: their medians scatter by less.
  constexpr double agreeing = 0.1;
  const auto of_next = analysis::modes(next);
  std::vector<double> of_fast;
  for (std::size_t load = 0; load < next.size() && !of_next.empty(); ++load) {
    if (next[load] <= of_next.front().high) of_fast.push_back(differences[load]);
  }
  const auto found = analysis::modes(of_fast);
  for (std::size_t slow = 1; slow < of_next.size(); ++slow) {
    const double added = of_next[slow].location - of_next.front().location;
    for (std::size_t larger = 1; larger < found.size(); ++larger) {
      const double usual = found.front().location;
      if (std::abs(found[larger].location - usual - added) > agreeing * added) continue;
      return Differences{std::max(usual / 2, usual - added / 2), usual + added / 2};
    }
  }
  return {};
}

HitAndMiss judged(HitAndMiss seen) {
  seen.threshold = analysis::threshold_between(seen.hits, seen.misses);
  return seen;
}

constexpr std::int64_t missing_loads = 32;  // few, so that the next level holds them whatever bits index it

/// From one first load to the next: no line of a known GPU is longer.
constexpr std::int64_t usual_miss_spacing = 256;
/// The same for lines that are longer still, as wide as the loads of all trials fit a page.
constexpr std::int64_t wide_miss_spacing = 1024;

/// First loads of lines that `beyond` brought into the next level, each with a second load of the same line.
std::vector<chase::Program> private_miss_programs(const Subject& subject, chase::Path beyond, LoadOrder order,
                                                  std::int64_t miss_spacing) {
  std::vector<chase::Program> programs;
  // If none of the 2048 misses is misread, the rate counts as 2.4e-4.
  for (std::int64_t trial = 0; trial < 64; ++trial) {
    chase::Program program = program_for(subject, page_bytes);
    program.trial = trial;
    program.actors.push_back({subject.sm, beyond, 1});
    const std::int64_t start = trial * missing_loads * miss_spacing;
    chase::Ring ring{0, start, miss_spacing, missing_loads};
    if (order == LoadOrder::random) ring.order = chase::Order::shuffled;
    if (order == LoadOrder::downwards) {
      ring = {.array = 0, .nodes = chase::node_offsets(ring)};
      std::ranges::reverse(ring.nodes);
    }
    add_ring(program, std::move(ring));
    // All that a miss may bring in, whatever it fetches at once.
    const std::int64_t all = missing_loads * miss_spacing / smallest_line;
    const std::int64_t bringing = add_ring(program, {0, start + sample_offset, smallest_line, all});
    program.phases = {{1, bringing, 0, 2 * all, chase::Timing::untimed}};
    load_twice(program, 0, 0, missing_loads);
    programs.push_back(std::move(program));
  }
  return programs;
}

HitAndMiss with_private_misses(HitAndMiss hits, std::span<const chase::Result> results) {
  keep_misses(hits, results);
  for (std::size_t i = 0; i < hits.misses.size(); ++i) {
    hits.programs.push_back(i / static_cast<std::size_t>(missing_loads));
  }
  return judged(std::move(hits));
}

/// Where a level between serves what the subject has lost, its loads are the misses.
HitAndMiss with_level_between(HitAndMiss seen, const Executor& execute, const Subject& subject, chase::Path beyond) {
  if (!seen.threshold || seen.hits_are_of_a_buffer()) return seen;
  auto between = level_between(execute, subject, beyond, seen.hits);
  if (!between) return seen;
  seen.misses = std::move(between->loads);
  seen.threshold = between->threshold;
  seen.again.clear();
  seen.programs.clear();
  return seen;
}

}  // namespace

double HitAndMiss::mean_in_time() const { return analysis::trimmed_mean(in_time(hits), 0); }

bool HitAndMiss::most_totals_are_late() const {
  if (mean_delay(hits) > overhead_error) return true;
  // Beside the error of the overhead, what a latency drifts between two passes. Chosen by hand.
  constexpr double drift = 0.01;
  std::vector<double> scatter;
  for (const SmLatency& one : by_sm) scatter.push_back(one.scatter);
  return analysis::median(scatter) > overhead_error + drift * mean_in_time() && exceeds_overhead(excess);
}

bool HitAndMiss::hits_are_of_a_buffer() const {
  if (programs.empty()) return false;
  constexpr double nearly_all = 0.99;  // fewer are late
  const double slowest = analysis::quantile(hits, nearly_all) + analysis::clock_step(hits);
  std::vector<double> second;
  std::ranges::copy_if(again, std::back_inserter(second), [&](double cycles) { return cycles <= threshold->cycles; });
  return !second.empty() && analysis::median(second) > slowest;
}

bool HitAndMiss::clock_is_coarse() const { return analysis::median(hits) + overhead_each < analysis::clock_step(hits); }

std::vector<double> HitAndMiss::cycles_by_sm() const {
  std::vector<double> cycles;
  cycles.reserve(by_sm.size());
  for (const SmLatency& one : by_sm) cycles.push_back(one.cycles);
  return cycles;
}

std::vector<analysis::Interval> HitAndMiss::intervals_by_sm(double confidence) const {
  constexpr double most = 0.95;  // of all passes: one with a delayed load is no change of latency
  std::vector<double> changes;
  for (const SmLatency& one : by_sm) {
    for (const double pass : one.passes) changes.push_back(std::abs(pass - one.cycles));
  }
  // Each may miss with an equal share of the probability that any does (Bonferroni).
  const double each = (1 - confidence) / static_cast<double>(by_sm.size());
  const double errors = boost::math::quantile(boost::math::complement(boost::math::normal(), each / 2));
  const double of_mean = line_deviation / std::sqrt(static_cast<double>(lines_of_page));
  // Other lines differ by chance, too: these errors explain a difference that is not larger.
  const double of_lines = std::max(errors * of_mean, line_difference);
  const double reach = overhead_error + analysis::quantile(changes, most) + of_lines;
  std::vector<analysis::Interval> intervals;
  for (const SmLatency& one : by_sm) intervals.push_back({one.cycles - reach, one.cycles + reach});
  return intervals;
}

Penalties HitAndMiss::penalties() const {
  const double hit = again.empty() ? analysis::delays(hits).mean : 0;
  std::vector<std::size_t> missed;
  std::vector<double> next;
  std::vector<double> differences;
  std::vector<double> surely_hit_next;
  for (std::size_t load = 0; load < misses.size(); ++load) {
    if (misses[load] <= threshold->cycles) continue;
    missed.push_back(load);
    next.push_back(again.empty() ? hit : again[load]);
    differences.push_back(misses[load] - next.back());
    if (next.back() <= threshold->cycles) surely_hit_next.push_back(differences.back());
  }
  Penalties found;
  if (surely_hit_next.empty()) return found;
  const double half = analysis::median(surely_hit_next) / 2;
  const bool may_miss_tlb = programs.empty() && !far_hits_are_misses;
  const Differences of_hits = may_miss_tlb ? without_tlb_misses(next, differences) : Differences{};
  for (std::size_t i = 0; i < missed.size(); ++i) {
    const double cycles = differences[i];
    if (next[i] > threshold->cycles && (far_hits_are_misses || cycles < half)) continue;
    if (cycles < of_hits.least || cycles > of_hits.most) continue;
    found.cycles.push_back(cycles);
    if (!programs.empty()) found.programs.push_back(programs[missed[i]]);
  }
  return found;
}

void add_flush(chase::Program& program, const Subject& subject, std::int64_t bytes) {
  constexpr std::int64_t stride = smallest_line / 2;
  constexpr std::int64_t threads = 1024;  // the largest CTA of any known GPU
  program.arrays.push_back({bytes});
  const auto array = static_cast<std::int64_t>(program.arrays.size()) - 1;
  const std::int64_t ring = add_ring(program, {array, 0, stride, bytes / stride});
  program.actors.push_back({subject.sm, subject.path, threads});
  program.phases.push_back(
      {static_cast<std::int64_t>(program.actors.size()) - 1, ring, 0, bytes / stride, chase::Timing::untimed});
}

HitAndMiss hits_of(std::span<const chase::Result> results, std::int64_t sm_count) {
  HitAndMiss seen;
  const std::array passes{results};
  keep_single_hits(seen, results);
  keep_totals(seen, passes, sm_count);
  return seen;
}

HitAndMiss private_hit_and_miss(const Executor& execute, const Subject& subject, chase::Path beyond,
                                std::int64_t sm_count) {
  // Enough single hits to know how seldom one is misread.
  constexpr std::int64_t wanted = 8192;
  const std::int64_t trials = std::clamp<std::int64_t>(wanted * spacing / small_footprint / sm_count, 3, 64);
  // Two nodes fit any L1, whatever bits index it.
  auto programs = hit_programs(subject, sm_count, trials, 2);
  const std::size_t hit_count = programs.size();
  const auto missing = private_miss_programs(subject, beyond, LoadOrder::upwards, usual_miss_spacing);
  programs.insert(programs.end(), missing.begin(), missing.end());
  const auto results = execute(programs);
  const HitAndMiss seen = hits_of(std::span(results).first(hit_count), sm_count);
  HitAndMiss found = with_private_misses(seen, std::span(results).subspan(hit_count));
  if (found.threshold) return with_level_between(std::move(found), execute, subject, beyond);
  // Perhaps each line was prefetched along with the one before, or two loads have a line in common, or a prefetcher
  // follows strides.
  constexpr std::array attempts{std::pair{LoadOrder::downwards, usual_miss_spacing},
                                std::pair{LoadOrder::downwards, wide_miss_spacing},
                                std::pair{LoadOrder::random, wide_miss_spacing}};
  for (const auto& [order, spacing] : attempts) {
    found = with_private_misses(seen, execute(private_miss_programs(subject, beyond, order, spacing)));
    if (found.threshold) break;
  }
  return with_level_between(std::move(found), execute, subject, beyond);
}

HitAndMiss shared_hit_and_miss(const Executor& execute, const Subject& subject, std::int64_t flush_bytes,
                               std::int64_t sm_count) {
  const auto hitting = lone_hit_programs(subject, flush_bytes, sm_count);
  auto programs = hitting;
  const auto missing = miss_programs(subject, flush_bytes, sm_count, LoadOrder::random);
  programs.insert(programs.end(), missing.begin(), missing.end());
  const auto first = execute(programs);
  const auto second = execute(hitting);
  const auto third = third_pass(execute, hitting, first, second);
  const std::array<std::span<const chase::Result>, 3> passes{std::span(first).first(hitting.size()), second, third};
  HitAndMiss seen;
  keep_single_hits(seen, passes.front());
  keep_totals(seen, passes, sm_count);
  const auto with_misses = [&](HitAndMiss hits, std::span<const chase::Result> results) {
    keep_misses(hits, results);
    hits = judged(std::move(hits));
    if (hits.threshold) compare_lines(hits, results);
    return hits;
  };
  HitAndMiss found = with_misses(seen, std::span(first).subspan(hitting.size()));
  if (mostly_misses(found)) return found;
  HitAndMiss again = with_misses(seen, execute(miss_programs(subject, flush_bytes, sm_count, LoadOrder::downwards)));
  return mostly_misses(again) ? again : found;
}

}  // namespace tomograph::cache
