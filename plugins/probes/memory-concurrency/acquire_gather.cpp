#include "acquire_gather.hpp"

#include <algorithm>

namespace tomograph::memory_concurrency {

namespace {

constexpr std::int64_t warps_of_a_cta = 32;  // the most that CUDA allows
/// For a device that does not say how many warps an SM holds.
constexpr std::int64_t cautious_warps = 32;
/// Repetitions that tell which points count: the median ignores one that was disturbed.
constexpr std::int64_t few_repetitions = 3;
/// So many iterations that start and end do not count; fewer where each takes longer.
constexpr std::int64_t many_iterations = 256;
constexpr std::int64_t few_iterations = 64;
constexpr std::int64_t much_offered = 256;
/// Footprint in memory, in sizes of L2, and the least that is still useful.
constexpr std::int64_t far_in_l2 = 40;
constexpr std::int64_t least_far_in_l2 = 20;
/// Footprints are multiples of the largest block.
constexpr std::int64_t page = 4096;

std::int64_t iterations_of(const Point& point) {
  return point.offered() >= much_offered ? few_iterations : many_iterations;
}

/// No two runs load the same blocks, which L2 might hold from the run before: the hash of Fowler, Noll and Vo (FNV-1a).
std::int64_t seed_of(const Setting& setting, const Point& point, std::int64_t trial) {
  std::uint32_t hash = 2166136261U;
  for (const std::int64_t part : {trial, point.warps, point.blocks, point.element, point.loads, setting.sm_number,
                                  setting.sms.empty() ? 0 : setting.sms.front() + 1, setting.carveout + 1,
                                  static_cast<std::int64_t>(setting.cache)}) {
    hash = (hash ^ static_cast<std::uint32_t>(part)) * 16777619U;
  }
  return hash;
}

kernel::Kernel kernel_of(const Setting& setting, const Point& point, std::int64_t trial) {
  const std::int64_t ctas_per_sm = (point.warps + warps_of_a_cta - 1) / warps_of_a_cta;
  const std::int64_t group = kernel::warp_lanes / point.blocks;
  const std::int64_t block = std::max<std::int64_t>(group * point.element, 32);
  const std::int64_t seed = seed_of(setting, point, trial);
  kernel::Kernel kernel{.warps = point.warps / ctas_per_sm,
                        .ctas = setting.sm_number * ctas_per_sm,
                        .ctas_per_sm = ctas_per_sm,
                        .iterations = iterations_of(point),
                        .footprint = setting.footprint,
                        .warm_passes = setting.warm_passes,
                        .carveout = setting.carveout,
                        .timed = point.loads == 1 && !point.writes ? 0 : -1,
                        .sms = setting.sms,
                        .trial = trial};
  for (std::int64_t i = 0; i < point.loads; ++i) {
    // Another start of the same sequence of random numbers for each load.
    const kernel::Hash random{.group = group, .block = block, .seed = (seed + i * 0x9e3779b9) & 0xffffffff};
    kernel.loop.push_back({.operation = point.writes ? kernel::Operation::store : kernel::Operation::load,
                           .access = kernel::Access{.pattern = random,
                                                    .element = point.element,
                                                    .cache = point.writes ? kernel::Cache::ca : setting.cache,
                                                    .span = setting.footprint}});
  }
  return kernel;
}

Run run_of(const Point& point, const kernel::Result& result) {
  const auto sectors = static_cast<double>(point.offered() * iterations_of(point));
  Run run{.latency = result.latency, .clock_hz = result.clock_hz};
  for (const double cycles : result.cycles) run.rate += sectors / cycles;
  return run;
}

/// Trials from `first` up to `end` of these points.
void measure_trials(const Session& session, const Setting& setting, const std::vector<Point*>& points,
                    std::int64_t first, std::int64_t end) {
  std::vector<kernel::Kernel> batch;
  for (std::int64_t run = first; run < end; ++run) {
    for (const Point* point : points) batch.push_back(kernel_of(setting, *point, run));
  }
  const auto results = session.ask(batch);
  for (std::size_t i = 0; i < results.size(); ++i) {
    Point& point = *points[i % points.size()];
    point.runs.push_back(run_of(point, results[i]));
  }
}

std::vector<Point*> all_of(std::vector<Point>& points) {
  std::vector<Point*> all;
  for (Point& point : points) all.push_back(&point);
  return all;
}

}  // namespace

void measure(const Session& session, const Setting& setting, std::vector<Point>& points) {
  measure_trials(session, setting, all_of(points), 0, repetitions);
}

void measure_counting(const Session& session, const Setting& setting, std::vector<Point>& points,
                      const Counting& counting) {
  measure_trials(session, setting, all_of(points), 0, few_repetitions);
  while (true) {
    std::vector<Point*> few;
    for (const std::size_t i : counting(points)) {
      if (std::ssize(points[i].runs) == few_repetitions) few.push_back(&points[i]);
    }
    if (few.empty()) return;
    measure_trials(session, setting, few, few_repetitions, repetitions);
  }
}

std::vector<std::int64_t> rising_warps(const Session& session) {
  const auto most = session.fact<std::int64_t>("device.max_warps_per_sm").value_or(cautious_warps);
  std::vector<std::int64_t> warps;
  for (const std::int64_t one : {1, 2, 4, 8, 12, 16, 24, 32, 48, 64}) {
    if (one <= most) warps.push_back(one);
  }
  return warps;
}

std::int64_t l2_bytes(const Session& session) {
  if (const auto measured = session.fact<std::int64_t>("l2.size")) return *measured;
  if (const auto reported = session.fact<std::int64_t>("l2.nominal_size")) return *reported;
  throw Skip("device", "the size of L2 is unknown");
}

std::int64_t near_footprint(const Session& session) {
  return std::max<std::int64_t>(l2_bytes(session) / 3 / page, 1) * page;
}

std::int64_t far_footprint(const Session& session) {
  const std::int64_t l2 = l2_bytes(session);
  std::int64_t bytes = far_in_l2 * l2;
  if (const auto size = session.fact<std::int64_t>("dram.size")) bytes = std::min(bytes, *size / 4);
  if (const auto free = session.fact<std::int64_t>("dram.free")) bytes = std::min(bytes, *free / 4);
  if (bytes < least_far_in_l2 * l2) {
    throw Skip("resource", std::to_string(least_far_in_l2 * l2) + " B of memory are needed, a quarter of it has " +
                               std::to_string(bytes) + " B");
  }
  return bytes / page * page;
}

std::vector<NamedArray> columns(const std::vector<Point>& points) {
  std::vector<double> warps;
  std::vector<double> blocks;
  std::vector<double> element;
  std::vector<double> loads;
  std::vector<double> rate;
  std::vector<double> latency;
  std::vector<double> clock;
  for (const Point& point : points) {
    for (const Run& run : point.runs) {
      warps.push_back(static_cast<double>(point.warps));
      blocks.push_back(static_cast<double>(point.blocks));
      element.push_back(static_cast<double>(point.element));
      loads.push_back(static_cast<double>(point.loads));
      rate.push_back(run.rate);
      latency.push_back(run.latency);
      clock.push_back(run.clock_hz);
    }
  }
  return {{"warps", warps}, {"blocks", blocks},   {"element", element}, {"loads", loads},
          {"rate", rate},   {"latency", latency}, {"clock", clock}};
}

}  // namespace tomograph::memory_concurrency
