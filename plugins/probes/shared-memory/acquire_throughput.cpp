#include <algorithm>
#include <array>

#include "acquire_access_times.hpp"
#include "analysis_throughput.hpp"
#include "questions.hpp"
#include "tomograph/analysis/confidence.hpp"
#include "tomograph/column.hpp"

namespace tomograph::shared_memory {

namespace {

using shared_access::Operation;

constexpr const char* surface_curve = "shared.throughput_surface";
constexpr const char* stores_curve = "shared.bandwidth.write";
/// Words that an SM is given to access in one experiment, and the most accesses of one stream. At 32 words in a cycle
/// it takes 33,000 cycles, of which reading the clock to a cycle is 3e-5.
constexpr std::int64_t workload = std::int64_t{1} << 20;
constexpr std::int64_t most_accesses = 2048;
/// How many of the highest points of the surface are measured again. Chosen on an H200.
constexpr std::size_t finalists = 6;

/// Each warp and stream copies words of its own, as in Mei & Chu 2017, section 6.1. Loads of different warps are never
/// served together, so they may access the same words.
Program program_of(const Configuration& configuration) {
  const bool copies = configuration.operation == Operation::copy;
  Program program{.offsets = shared_access::strided(lanes, configuration.width),
                  .width = configuration.width,
                  .operation = configuration.operation,
                  .streams = configuration.streams,
                  .warps = configuration.warps,
                  .ctas = configuration.ctas,
                  .stream_shift = lanes * configuration.width};
  if (copies) {
    program.warp_shift = program.streams * program.stream_shift;
    program.store_shift = program.warps * program.warp_shift;
  }
  program.bytes = shared_access::load_end(program) + program.store_shift;
  // Powers of two leave no remainder in loops that devices unroll.
  const std::int64_t quantum = 256 / std::min<std::int64_t>(program.streams, 4);
  const std::int64_t streams_in_all = program.streams * program.warps * program.ctas;
  const std::int64_t wanted = workload / (streams_in_all * lanes * (program.width / word) * (copies ? 2 : 1));
  program.accesses = std::clamp(wanted / quantum * quantum, quantum, most_accesses);
  return program;
}

std::vector<Point> measure(const Session& session, const std::vector<Configuration>& configurations) {
  std::vector<Program> programs;
  for (const Configuration& one : configurations) programs.push_back(program_of(one));
  const auto times = access_times(session, programs);
  std::vector<Point> points;
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (times[i]) points.push_back({configurations[i], bytes_of(configurations[i]) / times[i]->cycles});
  }
  return points;
}

void keep(const Session& session, const char* curve, const std::vector<Point>& points) {
  std::vector<NamedArray> columns;
  const auto add = [&](const char* name, auto value) { columns.push_back(tomograph::column(name, points, value)); };
  add("copies", [](const Point& point) { return point.configuration.operation == Operation::copy ? 1 : 0; });
  add("width_bytes", [](const Point& point) { return point.configuration.width; });
  add("cta_threads", [](const Point& point) { return point.configuration.warps * lanes; });
  add("ctas_per_sm", [](const Point& point) { return point.configuration.ctas; });
  add("ilp", [](const Point& point) { return point.configuration.streams; });
  add("bytes_per_cycle", &Point::bytes_per_cycle);
  session.evidence(curve, columns);
}

/// The best configuration of one kind, and its access time.
struct Roof {
  Configuration configuration;
  AccessTime time;

  [[nodiscard]] double bytes_per_cycle() const { return bytes_of(configuration) / time.cycles; }
  [[nodiscard]] Interval interval() const {
    // The clock at either end is exact to a cycle of a few thousand. Chosen on an H200.
    constexpr double resolution = 0.002;
    return {bytes_of(configuration) / time.high * (1 - resolution),
            bytes_of(configuration) / time.low * (1 + resolution)};
  }
};

/// By the lower end of the interval, since the value of a short run may be high by chance.
const Roof& highest_of(const std::vector<Roof>& roofs) {
  return *std::ranges::max_element(roofs, {}, [](const Roof& roof) { return roof.interval().low; });
}

/// The highest points are measured again without what happens once in a program; the best of these is the roof.
Roof find_roof(const Session& session, const std::vector<Point>& points, Operation operation, std::int64_t width) {
  const std::vector<Point> best_points = highest(points, operation, width, finalists);
  std::vector<Program> programs;
  for (const Point& point : best_points) programs.push_back(program_of(point.configuration));
  const std::vector<AccessTime> times = required_access_times(session, programs);
  std::vector<Roof> roofs;
  for (std::size_t i = 0; i < times.size(); ++i) roofs.push_back({best_points[i].configuration, times[i]});
  return highest_of(roofs);
}

Value conditions_of(const Configuration& configuration) {
  return {{"width", configuration.width},
          {"cta_threads", configuration.warps * lanes},
          {"ctas_per_sm", configuration.ctas},
          {"ilp", configuration.streams}};
}

void publish_roof(const Session& session, const char* key, const char* curve, const Roof& roof) {
  publish_times(session,
                {.key = key,
                 .value = roof.bytes_per_cycle(),
                 .method = "best-of-surface",
                 .interval = roof.interval(),
                 .conditions = conditions_of(roof.configuration),
                 .evidence = curve},
                std::span(&roof.time, 1));
}

/// Little's law: warps x ILP = latency x throughput. The throughput of warps with one load in flight each is
/// proportional to their number up to the roof; the SM is saturated where both lines meet.
void publish_saturation(const Session& session, const std::vector<Point>& points, const Roof& roof) {
  const Configuration alone{};
  const AccessTime time = required_access_times(session, std::vector{program_of(alone)}).front();
  const double warps = roof.bytes_per_cycle() * time.cycles / bytes_of(alone);
  const Interval high = roof.interval();
  Value by_ilp = Value::list();
  for (const auto& [ilp, fewest] : warps_at_the_roof(points, roof.bytes_per_cycle())) {
    by_ilp.push_back(Value::list(ilp, fewest));
  }
  Value conditions = {{"ilp", 1}, {"warps_at_95_percent_by_ilp", by_ilp}};
  if (const auto latency = session.fact<double>("shared.latency")) {
    conditions["latency_times_throughput"] = *latency * roof.bytes_per_cycle() / bytes_of(alone);
  }
  publish_times(session,
                {.key = "shared.saturating_warps",
                 .value = warps,
                 .method = "rise-meets-roof",
                 .interval = Interval{high.low * time.low / bytes_of(alone), high.high * time.high / bytes_of(alone)},
                 .conditions = conditions,
                 .evidence = surface_curve},
                std::array{time, roof.time});
}

}  // namespace

void follow_mei_copies(const Session& session) {
  expect_shared_memory(session);
  const std::vector<Point> points = measure(session, copies());
  keep(session, surface_curve, points);
  Value rows = Value::list();
  for (const auto& [configuration, bytes_per_cycle] : points) {
    rows.push_back(
        Value::list(configuration.warps * lanes, configuration.ctas, configuration.streams, bytes_per_cycle));
  }
  session.publish({.key = "shared.copy_throughput",
                   .value = rows,
                   .method = "mei2017",
                   .confidence = confidence::unverified,
                   .samples = points.size(),
                   .evidence = surface_curve});
}

void find_throughput(const Session& session) {
  expect_shared_memory(session);
  const std::vector<Point> points = measure(session, surface());
  keep(session, surface_curve, points);
  publish_roof(session, "shared.bandwidth.copy", surface_curve, find_roof(session, points, Operation::copy, word));
  std::vector<Roof> roofs;
  Value by_width = Value::list();
  for (const std::int64_t width : widths) {
    roofs.push_back(find_roof(session, points, Operation::load, width));
    by_width.push_back(Value::list(width, roofs.back().bytes_per_cycle()));
  }
  publish_roof(session, "shared.bandwidth.read", surface_curve, highest_of(roofs));
  std::vector<AccessTime> times;
  for (const Roof& roof : roofs) times.push_back(roof.time);
  publish_times(
      session,
      {.key = "shared.bandwidth_by_width", .value = by_width, .method = "best-of-surface", .evidence = surface_curve},
      times);
  publish_saturation(session, points, roofs.front());
}

void find_store_throughput(const Session& session) {
  expect_shared_memory(session);
  const std::vector<Point> points = measure(session, surface_of_stores());
  if (points.empty()) return session.inconclusive(stores_curve, "no configuration of warps fits on an SM");
  keep(session, stores_curve, points);
  std::vector<Roof> roofs;
  for (const std::int64_t width : widths) roofs.push_back(find_roof(session, points, Operation::store, width));
  publish_roof(session, stores_curve, stores_curve, highest_of(roofs));
}

}  // namespace tomograph::shared_memory
