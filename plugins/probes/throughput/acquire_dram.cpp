#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "acquire_saturation.hpp"
#include "acquire_streaming.hpp"
#include "publish.hpp"
#include "questions.hpp"
#include "tomograph/analysis/confidence.hpp"
#include "tomograph/analysis/median_fact.hpp"
#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::throughput {

namespace {

using streaming::Operation;

constexpr const char* dram_surface = "dram.throughput_surface";
/// For an unknown L2: larger than any today.
constexpr std::int64_t cautious_l2 = std::int64_t{128} << 20;
/// Footprints in sizes of L2: the first, and the last after doubling. With random replacement, the first hits in 2 % of
/// the loads.
constexpr std::int64_t first_footprint = 4;
constexpr std::int64_t most_footprint = 32;

/// Distributions that access a footprint in order, or nearly so. A slice per SM would scatter the accesses.
constexpr std::array in_order{streaming::Distribution::interleaved, streaming::Distribution::queued};

streaming::Program program(Operation operation, std::int64_t footprint) {
  return {.operation = operation, .ilp = 4, .threads = 256, .ctas_per_sm = 4, .bytes = footprint, .warm_passes = 0};
}

/// The largest footprint for which there is memory, of which a copy needs twice as much. @throws Skip if caches could
/// hold a part of it.
std::int64_t affordable_footprint(const Session& session, std::int64_t l2) {
  const std::int64_t most =
      std::min(most_footprint * l2, session.fact<std::int64_t>("dram.size").value_or(INT64_MAX) / 8);
  const auto free = session.fact<std::int64_t>("dram.free");
  if (!free) return most;
  if (*free / 3 < std::min(first_footprint * l2, most)) {
    throw Skip("resource", std::to_string(3 * first_footprint * l2) + " B of memory are needed, " +
                               std::to_string(*free) + " B are free");
  }
  return std::min(most, *free / 3);
}

/// Bandwidth of passes after the first.
double steady(const Execute& execute, streaming::Program program) {
  constexpr std::int64_t repetitions = 5;  // the median ignores two that were interrupted
  program.warm_passes = 1;
  program.passes = 2;
  std::vector<double> seen;
  for (const auto& result : repeat(execute, program, repetitions, 0)) seen.push_back(of_device(result));
  return analysis::median(seen);
}

/// The smallest footprint, at least `first` and at most `most`, of which caches hold a negligible part: it is doubled
/// until streaming gets no slower. LRU keeps nothing of a footprint that is passed over repeatedly, but other policies
/// may, and written lines stay for a while.
std::int64_t settled_footprint(const Execute& execute, streaming::Program program, std::int64_t first,
                               std::int64_t most) {
  // A change that two runs would not reproduce. Chosen on an H200.
  constexpr double settled = 0.99;
  program.bytes = first;
  for (double now = steady(execute, program); 2 * program.bytes <= most;) {
    streaming::Program larger = program;
    larger.bytes *= 2;
    const double twice = steady(execute, larger);
    if (twice >= settled * now) break;
    program = larger;
    now = twice;
  }
  return program.bytes;
}

/// The same for a program as good as any, from the first footprint on.
std::int64_t settled_footprint(const Session& session, Operation operation) {
  const std::int64_t l2 = l2_bytes(session).value_or(cautious_l2);
  const std::int64_t most = affordable_footprint(session, l2);
  const std::int64_t first = std::min(first_footprint * l2, most);
  return settled_footprint(executor(session), program(operation, first), first, most);
}

/// The best program for a footprint that is settled for this program, too: how many written lines stay depends on the
/// order of stores.
Found search_settled(const Session& session, Operation operation, const Bounds& bounds) {
  const Execute execute = executor(session);
  const std::int64_t most = affordable_footprint(session, l2_bytes(session).value_or(cautious_l2));
  std::int64_t footprint = settled_footprint(session, operation);
  while (true) {
    Found found = search(execute, surfaces(program(operation, footprint), bounds, in_order), bounds, of_device);
    const std::int64_t settled = settled_footprint(execute, found.best, footprint, most);
    if (settled == footprint) return found;
    footprint = settled;
  }
}

void publish_efficiency(const Session& session, const std::vector<Fact>& facts) {
  constexpr const char* key = "dram.bandwidth.efficiency";
  const auto theoretical = session.fact<double>("dram.bandwidth.theoretical");
  if (!theoretical || *theoretical <= 0) return session.absent(key, "no interface reports the theoretical bandwidth");
  Fact fact = facts.front();
  const auto share = [&](double bandwidth) { return bandwidth / *theoretical; };
  fact.key = key;
  fact.value = share(fact.value.get<double>());
  fact.interval = Interval{share(fact.interval->low), share(fact.interval->high)};
  fact.conditions = {{"operation", "read"}, {"theoretical", *theoretical}};
  for (const Fact& other : facts) {
    const double rounded = std::round(share(other.value.get<double>()) * 1e4) / 1e4;
    fact.conditions[other.conditions.at("operation").get<std::string>()] = rounded;
  }
  fact.source = TOMOGRAPH_DERIVED;
  publish_bandwidth(session, fact);
}

/// Copies of `element` bytes by large CTAs: fewer of them have as many bytes in flight as small ones. More than one CTA
/// size, from which the maximum of a distribution may be more than a step away.
std::vector<streaming::Program> wide_ctas(std::int64_t footprint, std::int64_t element, const Bounds& bounds) {
  streaming::Program base = program(Operation::copy, footprint);
  base.element = element;
  auto coarse = surfaces(base, bounds, in_order);
  std::erase_if(coarse, [](const streaming::Program& one) { return one.threads < 256; });
  if (coarse.empty()) coarse.push_back(base);
  return coarse;
}

}  // namespace

void find_dram(const Session& session) {
  const Bounds bounds = bounds_of(session);
  std::vector<NamedArray> columns;
  std::vector<Fact> facts;
  std::optional<streaming::Program> best_read;
  for (const Operation operation : {Operation::read, Operation::write, Operation::copy}) {
    const Found found = search_settled(session, operation, bounds);
    append_columns(columns, std::string(name(operation)) + ".", found, of_device);
    facts.push_back(bandwidth_fact(std::string("dram.bandwidth.") + name(operation), found, of_device, dram_surface));
    if (operation == Operation::read) best_read = found.best;
    session.progress(static_cast<double>(facts.size()) / 4);
  }
  session.evidence(dram_surface, columns);
  for (const Fact& fact : facts) publish_bandwidth(session, fact);
  publish_efficiency(session, facts);
  // A program that waits for a queue has fewer bytes in flight than it asks for.
  best_read->distribution = streaming::Distribution::interleaved;
  find_saturation(session, "dram.saturating_bytes_in_flight", *best_read);
}

void find_dram_by_element(const Session& session) {
  constexpr const char* key = "dram.bandwidth_by_element";
  const Bounds bounds = bounds_of(session);
  const std::int64_t footprint = settled_footprint(session, Operation::copy);
  Value pairs = Value::list();
  Value intervals = Value::list();
  Value configurations = Value::list();
  std::vector<double> elements;
  std::vector<double> medians;
  std::uint64_t samples = 0;
  double doubt = systematic_error;  // and that one of the intervals does not cover its value
  bool is_useful = true;
  for (const std::int64_t element : {1, 2, 4, 8, 16}) {
    const Found found = search(executor(session), wide_ctas(footprint, element, bounds), bounds, of_device);
    Fact fact = bandwidth_fact(key, found, of_device, key);
    analysis::widen(fact, from_run_to_run);
    pairs.push_back(Value::list(element, fact.value));
    intervals.push_back(Value::list(fact.interval->low, fact.interval->high));
    configurations.push_back(Value::list(found.best.threads, found.best.ctas_per_sm, found.best.ilp));
    elements.push_back(static_cast<double>(element));
    medians.push_back(fact.value.get<double>());
    samples += fact.samples;
    doubt += 1 - fact.confidence - systematic_error;
    is_useful = is_useful && relative_ci(found.values(of_device)) <= useful_ci;
    session.progress(static_cast<double>(elements.size()) / 5);
  }
  session.evidence(key, std::vector{column("element_B", elements), column("bandwidth", medians)});
  if (!is_useful) return session.inconclusive(key, "repetitions scatter too much");
  session.publish({.key = key,
                   .value = pairs,
                   .method = "streaming-search",
                   .confidence = 1 - doubt,
                   .samples = samples,
                   .conditions = {{"operation", "copy"},
                                  {"pairs", "bytes of an element, bytes read plus written per second"},
                                  {"intervals", intervals},
                                  {"threads, ctas_per_sm, ilp", configurations},
                                  {"footprint", footprint}},
                   .evidence = key});
}

void follow_mei_copies(const Session& session) {
  constexpr const char* key = "dram.copy_throughput";
  constexpr std::int64_t word = 4;         // Mei & Chu's ILP counts words
  constexpr std::int64_t repetitions = 3;  // the median ignores one that was interrupted
  const Execute execute = executor(session);
  const std::int64_t footprint = settled_footprint(session, Operation::copy);
  Value rows = Value::list();
  std::array<std::vector<double>, 4> columns;
  for (const std::int64_t ctas : {1, 2, 4, 8}) {
    for (const std::int64_t threads : {32, 64, 128, 256, 512}) {
      for (const std::int64_t ilp : {1, 2, 4, 8}) {
        streaming::Program one = program(Operation::copy, footprint);
        one.element = word;
        one.ctas_per_sm = ctas;
        one.threads = threads;
        one.ilp = ilp;
        const auto results = repeat(execute, one, repetitions, 0);
        std::vector<double> seen;
        for (const auto& result : results) seen.push_back(of_device(result));
        if (results.front().ctas_per_sm != ctas) continue;  // fewer fit
        const double bandwidth = analysis::median(seen);
        rows.push_back(Value::list(ctas, threads, ilp, bandwidth));
        const std::array row{static_cast<double>(ctas), static_cast<double>(threads), static_cast<double>(ilp),
                             bandwidth};
        for (std::size_t i = 0; i < row.size(); ++i) columns[i].push_back(row[i]);
      }
    }
  }
  session.evidence(key, std::vector<NamedArray>{{"ctas_per_sm", columns[0]},
                                                {"cta_threads", columns[1]},
                                                {"ilp", columns[2]},
                                                {"bytes_per_second", columns[3]}});
  session.publish({.key = key,
                   .value = rows,
                   .method = "mei2017",
                   .confidence = confidence::unverified,
                   .samples = columns[0].size(),
                   .evidence = key});
}

}  // namespace tomograph::throughput
