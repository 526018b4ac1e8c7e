#include <algorithm>
#include <array>

#include "accesses.hpp"

namespace tomograph::shared_memory {

namespace {

using shared_access::Operation;

constexpr std::int64_t lanes = shared_access::warp_lanes;
constexpr std::array<std::int64_t, 3> widths{4, 8, 16};
constexpr const char* surface_curve = "shared.throughput_surface";
/// Words that an SM is given to access in one experiment, and the most accesses of one stream.
constexpr std::int64_t workload = std::int64_t{1} << 20;
constexpr std::int64_t most_accesses = 2048;
/// Of the surface's highest points, how many are looked at again.
constexpr std::size_t finalists = 6;

struct Configuration {
  Operation operation = Operation::load;
  std::int64_t width = word;
  std::int64_t warps = 1;  ///< of a CTA
  std::int64_t ctas = 1;
  std::int64_t streams = 1;
};

/// Each warp and stream copies words of its own, as in Mei & Chu 2017, section 6.1. Loads of different warps are never
/// served together, so that they may share theirs.
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
  // Powers of two, which leave no rest in loops that devices unroll.
  const std::int64_t quantum = 256 / std::min<std::int64_t>(program.streams, 4);
  const std::int64_t streams_in_all = program.streams * program.warps * program.ctas;
  const std::int64_t wanted = workload / (streams_in_all * lanes * (program.width / word) * (copies ? 2 : 1));
  program.accesses = std::clamp(wanted / quantum * quantum, quantum, most_accesses);
  return program;
}

/// Bytes that an SM accesses for one access of every stream. What is copied is loaded and stored.
double bytes_of(const Configuration& configuration) {
  return static_cast<double>(configuration.warps * configuration.ctas * configuration.streams * lanes *
                             configuration.width * (configuration.operation == Operation::copy ? 2 : 1));
}

/// Copies by CTA size, CTAs per SM and instruction-level parallelism as in Mei & Chu 2017, Figs. 15 and 16; loads of
/// all widths, and of few warps in small steps.
std::vector<Configuration> surface() {
  std::vector<Configuration> all;
  for (const std::int64_t warps : {1, 2, 4, 8, 16, 32}) {
    for (const std::int64_t ctas : {1, 2, 3, 4, 5, 6}) {
      for (const std::int64_t streams : {1, 2, 4, 6, 8}) all.push_back({Operation::copy, word, warps, ctas, streams});
    }
  }
  for (const std::int64_t width : widths) {
    for (const std::int64_t streams : {1, 2, 4, 8}) {
      for (const std::int64_t warps : {1, 2, 4, 8, 12, 16, 20, 24, 28, 32}) {
        all.push_back({Operation::load, width, warps, 1, streams});
      }
      for (const std::int64_t warps : {20, 24, 28, 32}) all.push_back({Operation::load, width, warps, 2, streams});
    }
  }
  return all;
}

struct Point {
  Configuration configuration;
  double bytes_per_cycle = 0;
};

std::vector<Point> measure_surface(const Session& session) {
  const std::vector<Configuration> configurations = surface();
  std::vector<Program> programs;
  for (const Configuration& one : configurations) programs.push_back(program_of(one));
  const auto paces = pace(session, programs);
  std::vector<Point> points;
  for (std::size_t i = 0; i < paces.size(); ++i) {
    if (paces[i]) points.push_back({configurations[i], bytes_of(configurations[i]) / paces[i]->cycles});
  }
  return points;
}

void keep_surface(const Session& session, const std::vector<Point>& points) {
  std::vector<NamedArray> columns;
  const auto add = [&](const char* name, auto value) {
    std::vector<double> values;
    for (const Point& point : points) values.push_back(static_cast<double>(value(point)));
    columns.push_back(column(name, std::move(values)));
  };
  add("copies", [](const Point& point) { return point.configuration.operation == Operation::copy ? 1 : 0; });
  add("width_bytes", [](const Point& point) { return point.configuration.width; });
  add("cta_threads", [](const Point& point) { return point.configuration.warps * lanes; });
  add("ctas_per_sm", [](const Point& point) { return point.configuration.ctas; });
  add("ilp", [](const Point& point) { return point.configuration.streams; });
  add("bytes_per_cycle", [](const Point& point) { return point.bytes_per_cycle; });
  session.evidence(surface_curve, columns);
}

/// The best configuration of one kind, with what it sustains.
struct Roof {
  Configuration configuration;
  Pace pace;

  [[nodiscard]] double bytes_per_cycle() const { return bytes_of(configuration) / pace.cycles; }
  [[nodiscard]] Interval interval() const {
    // Even one SM is never known better than the clock at either end of a few thousand cycles tells.
    constexpr double resolution = 0.002;
    return {bytes_of(configuration) / pace.high * (1 - resolution),
            bytes_of(configuration) / pace.low * (1 + resolution)};
  }
};

/// The highest points are measured again without what happens once in a program; the best of these is the roof.
Roof find_roof(const Session& session, std::vector<Point> points, Operation operation, std::int64_t width) {
  std::erase_if(points, [&](const Point& point) {
    return point.configuration.operation != operation || point.configuration.width != width;
  });
  std::ranges::stable_sort(points, std::ranges::greater{}, &Point::bytes_per_cycle);
  points.resize(std::min(points.size(), finalists));
  std::vector<Program> programs;
  for (const Point& point : points) programs.push_back(program_of(point.configuration));
  const std::vector<Pace> paces = certain_pace(session, programs);
  Roof best{points.front().configuration, paces.front()};
  for (std::size_t i = 1; i < paces.size(); ++i) {
    const Roof other{points[i].configuration, paces[i]};
    if (other.bytes_per_cycle() > best.bytes_per_cycle()) best = other;
  }
  return best;
}

Value conditions_of(const Configuration& configuration) {
  return {{"width", configuration.width},
          {"cta_threads", configuration.warps * lanes},
          {"ctas_per_sm", configuration.ctas},
          {"ilp", configuration.streams}};
}

void publish_roof(const Session& session, const char* key, const Roof& roof) {
  publish_paces(session,
                {.key = key,
                 .value = roof.bytes_per_cycle(),
                 .method = "best-of-surface",
                 .interval = roof.interval(),
                 .conditions = conditions_of(roof.configuration),
                 .evidence = surface_curve},
                std::span(&roof.pace, 1));
}

/// Fewest warps of the surface that reach 95 % of the roof, by instruction-level parallelism.
Value warps_at_the_roof(const std::vector<Point>& points, double roof) {
  Value found = Value::list();
  for (const std::int64_t streams : {1, 2, 4, 8}) {
    std::int64_t fewest = 0;
    for (const auto& [configuration, bytes_per_cycle] : points) {
      const bool counts = configuration.operation == Operation::load && configuration.width == word &&
                          configuration.streams == streams && bytes_per_cycle >= 0.95 * roof;
      const std::int64_t warps = configuration.warps * configuration.ctas;
      if (counts && (fewest == 0 || warps < fewest)) fewest = warps;
    }
    if (fewest != 0) found.push_back(Value::list(streams, fewest));
  }
  return found;
}

/// Little's law: warps x ILP = latency x throughput. The throughput of one warp with one load under way rises in
/// proportion to the warps until the roof; where both lines meet, the SM is saturated.
void publish_saturation(const Session& session, const std::vector<Point>& points, const Roof& roof) {
  const Configuration alone{};
  const Pace pace = certain_pace(session, std::vector{program_of(alone)}).front();
  const double warps = roof.bytes_per_cycle() * pace.cycles / bytes_of(alone);
  const Interval high = roof.interval();
  Value conditions = {{"ilp", 1}, {"warps_at_95_percent_by_ilp", warps_at_the_roof(points, roof.bytes_per_cycle())}};
  if (const auto latency = session.fact<double>("shared.latency")) {
    conditions["latency_times_throughput"] = *latency * roof.bytes_per_cycle() / bytes_of(alone);
  }
  publish_paces(session,
                {.key = "shared.saturating_warps",
                 .value = warps,
                 .method = "rise-meets-roof",
                 .interval = Interval{high.low * pace.low / bytes_of(alone), high.high * pace.high / bytes_of(alone)},
                 .conditions = conditions,
                 .evidence = surface_curve},
                std::array{pace, roof.pace});
}

}  // namespace

void find_throughput(const Session& session) {
  expect_shared_memory(session);
  const std::vector<Point> points = measure_surface(session);
  keep_surface(session, points);
  publish_roof(session, "shared.bandwidth.copy", find_roof(session, points, Operation::copy, word));
  std::vector<Roof> roofs;
  Value by_width = Value::list();
  for (const std::int64_t width : widths) {
    roofs.push_back(find_roof(session, points, Operation::load, width));
    by_width.push_back(Value::list(width, roofs.back().bytes_per_cycle()));
  }
  publish_roof(session, "shared.bandwidth.read", *std::ranges::max_element(roofs, {}, &Roof::bytes_per_cycle));
  std::vector<Pace> paces;
  for (const Roof& roof : roofs) paces.push_back(roof.pace);
  publish_paces(
      session,
      {.key = "shared.bandwidth_by_width", .value = by_width, .method = "best-of-surface", .evidence = surface_curve},
      paces);
  publish_saturation(session, points, roofs.front());
}

}  // namespace tomograph::shared_memory
