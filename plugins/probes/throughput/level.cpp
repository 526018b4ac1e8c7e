#include "level.hpp"

#include <algorithm>
#include <cmath>

#include "tomograph/analysis/confidence.hpp"
#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::throughput {

namespace {

double clock_mhz(const Found& found) {
  std::vector<double> clocks;
  for (const auto& result : found.repetitions) clocks.push_back(result.clock_hz / 1e6);
  return std::round(analysis::median(clocks));
}

}  // namespace

Execute executor(const Session& session) {
  return [&session](std::span<const streaming::Program> batch) { return session.ask(batch); };
}

Room room(const Session& session) {
  Room room{.sms = session.needed<std::int64_t>("device.sm_count")};
  if (const auto warps = session.fact<std::int64_t>("device.max_warps_per_sm")) {
    room.threads_per_sm = *warps * streaming::warp_threads;
  }
  return room;
}

std::optional<std::int64_t> l2_bytes(const Session& session) {
  if (const auto measured = session.fact<std::int64_t>("l2.size")) return measured;
  return session.fact<std::int64_t>("l2.nominal_size");
}

std::vector<streaming::Program> surfaces(const streaming::Program& base, const Room& room,
                                         std::span<const streaming::Distribution> ways) {
  std::vector<streaming::Program> programs;
  for (const auto way : ways) {
    streaming::Program dealt = base;
    dealt.distribution = way;
    std::ranges::move(surface(dealt, room), std::back_inserter(programs));
  }
  return programs;
}

const char* name(streaming::Distribution distribution) {
  switch (distribution) {
    case streaming::Distribution::interleaved: return "interleaved";
    case streaming::Distribution::sliced: return "slice per SM";
    case streaming::Distribution::queued: return "queue";
  }
  return "";
}

double of_device(const streaming::Result& result) { return result.bandwidth(); }

double of_sm(const streaming::Result& result) { return analysis::median(result.bytes_per_cycle()); }

const char* name(streaming::Operation operation) {
  switch (operation) {
    case streaming::Operation::read: return "read";
    case streaming::Operation::write: return "write";
    case streaming::Operation::copy: return "copy";
  }
  return "";
}

Fact bandwidth_fact(const std::string& key, const Found& found, const Figure& figure, const std::string& evidence) {
  const auto figures = found.figures(figure);
  const auto interval = analysis::median_interval(figures, confidence::throughput::interval);
  const streaming::Program& best = found.best;
  return {.key = key,
          .value = analysis::median(figures),
          .method = "streaming-search",
          .confidence = interval.coverage - systematic_error,
          .interval = Interval{interval.low, interval.high},
          .samples = figures.size(),
          .conditions = {{"operation", name(best.operation)},
                         {"element", best.element},
                         {"ilp", best.ilp},
                         {"threads", best.threads},
                         {"ctas_per_sm", best.ctas_per_sm},
                         {"deal", name(best.distribution)},
                         {"footprint", found.repetitions.front().footprint},
                         {"sm_clock_mhz", clock_mhz(found)}},
          .evidence = evidence};
}

void publish_figure(const Session& session, const Fact& fact) {
  const double half = (fact.interval->high - fact.interval->low) / 2;
  if (half <= useful_openness * fact.value.get<double>()) return session.publish(fact);
  session.inconclusive(fact.key, "repetitions scatter so much that " + std::to_string(fact.samples) +
                                     " of them leave it open by " +
                                     std::to_string(std::lround(100 * half / fact.value.get<double>())) + " %");
}

void append_columns(std::vector<NamedArray>& columns, const std::string& prefix, const Found& found,
                    const Figure& figure) {
  std::vector<double> threads;
  std::vector<double> ctas;
  std::vector<double> ilp;
  std::vector<double> ways;
  std::vector<double> footprints;
  std::vector<double> figures;
  for (const Point& point : found.surface) {
    threads.push_back(static_cast<double>(point.program.threads));
    ctas.push_back(static_cast<double>(point.program.ctas_per_sm));
    ilp.push_back(static_cast<double>(point.program.ilp));
    ways.push_back(static_cast<double>(point.program.distribution));
    footprints.push_back(static_cast<double>(point.program.bytes));
    figures.push_back(point.figure);
  }
  columns.push_back(column(prefix + "threads", threads));
  columns.push_back(column(prefix + "ctas_per_sm", ctas));
  columns.push_back(column(prefix + "ilp", ilp));
  columns.push_back(column(prefix + "deal", ways));
  columns.push_back(column(prefix + "footprint", footprints));
  columns.push_back(column(prefix + "bandwidth", figures));
  columns.push_back(column(prefix + "best_repeated", found.figures(figure)));
}

}  // namespace tomograph::throughput
