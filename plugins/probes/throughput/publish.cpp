#include "publish.hpp"

#include <cmath>

#include "tomograph/analysis/confidence.hpp"
#include "tomograph/analysis/median_fact.hpp"
#include "tomograph/analysis/robust_statistics.hpp"
#include "tomograph/column.hpp"

namespace tomograph::throughput {

namespace {

double clock_mhz(const Found& found) {
  std::vector<double> clocks;
  for (const auto& result : found.repetitions) clocks.push_back(result.clock_hz / 1e6);
  return std::round(analysis::median(clocks));
}

const char* name(streaming::Distribution distribution) {
  switch (distribution) {
    case streaming::Distribution::interleaved: return "interleaved";
    case streaming::Distribution::sliced: return "slice per SM";
    case streaming::Distribution::queued: return "queue";
  }
  return "";
}

}  // namespace

const char* name(streaming::Operation operation) {
  switch (operation) {
    case streaming::Operation::read: return "read";
    case streaming::Operation::write: return "write";
    case streaming::Operation::copy: return "copy";
  }
  return "";
}

Fact bandwidth_fact(const std::string& key, const Found& found, const Metric& metric, const std::string& evidence) {
  const auto values = found.values(metric);
  const streaming::Program& best = found.best;
  Fact fact = analysis::median_fact(key, values, evidence, confidence::throughput::interval);
  fact.method = "streaming-search";
  fact.confidence -= systematic_error;
  fact.conditions = {{"operation", name(best.operation)},
                     {"element", best.element},
                     {"ilp", best.ilp},
                     {"threads", best.threads},
                     {"ctas_per_sm", best.ctas_per_sm},
                     {"distribution", name(best.distribution)},
                     {"footprint", found.repetitions.front().footprint},
                     {"sm_clock_mhz", clock_mhz(found)}};
  return fact;
}

void publish_bandwidth(const Session& session, Fact fact) {
  const double half = (fact.interval->high - fact.interval->low) / 2;
  if (half <= useful_ci * fact.value.get<double>()) {
    analysis::widen(fact, from_run_to_run);
    return session.publish(fact);
  }
  session.inconclusive(fact.key, "repetitions scatter so much that " + std::to_string(fact.samples) +
                                     " of them determine it only to " +
                                     std::to_string(std::lround(100 * half / fact.value.get<double>())) + " %");
}

void append_columns(std::vector<NamedArray>& columns, const std::string& prefix, const Found& found,
                    const Metric& metric) {
  const auto add = [&](const char* name, auto field) {
    columns.push_back(
        tomograph::column(prefix + name, found.surface, [&](const Point& point) { return point.program.*field; }));
  };
  add("threads", &streaming::Program::threads);
  add("ctas_per_sm", &streaming::Program::ctas_per_sm);
  add("ilp", &streaming::Program::ilp);
  add("distribution", &streaming::Program::distribution);
  add("footprint", &streaming::Program::bytes);
  columns.push_back(tomograph::column(prefix + "bandwidth", found.surface, &Point::value));
  columns.push_back(column(prefix + "best_repetitions", found.values(metric)));
}

}  // namespace tomograph::throughput
